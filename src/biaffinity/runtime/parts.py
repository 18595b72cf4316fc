"""What a model folder holds for the runtime: tensors as numpy arrays, and graphs as functions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from safetensors import SafetensorError, safe_open

from biaffinity.config.folder import WEIGHTS, WEIGHTS_KEY, graph_path, weights_fingerprint
from biaffinity.decoding.arrays import Array, Floats
from biaffinity.encoders.parts import Graph
from biaffinity.errors import DataError


class FolderParts:
    """Tensors and graphs by name; a tensor must have the shape that the config gives it."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        self.folder = folder
        self._threads = threads
        self._path = folder / WEIGHTS
        if not self._path.is_file():
            raise DataError(
                "no such file", where=str(self._path), remedy="the folder is not a finished model"
            )

    def stored(self, name: str, *shape: int) -> Array:
        """A tensor in the precision it is kept in."""
        try:
            with safe_open(self._path, framework="numpy") as file:
                tensor: Array | None = file.get_tensor(name) if name in file.keys() else None  # noqa: SIM118
        except (SafetensorError, OSError, TypeError, ValueError, AttributeError) as error:
            raise self._damaged(str(error)) from error
        if tensor is None:
            raise DataError(
                f"lacks the tensor {name}",
                where=str(self._path),
                remedy="weights and config.json are not of one model",
            )
        if not np.issubdtype(tensor.dtype, np.floating):
            raise self._damaged(f"tensor {name} holds {tensor.dtype}, not floating-point numbers")
        if tensor.shape != shape:
            what = f"tensor {name} is {list(tensor.shape)}, the config wants {list(shape)}"
            raise DataError(what, where=str(self._path))
        return tensor

    def tensor(self, name: str, *shape: int) -> Floats:
        """A tensor in single precision."""
        return self.stored(name, *shape).astype(np.float32, copy=False)

    def graph(self, name: str) -> Graph:
        """``NAME.onnx`` as a function of its inputs; one made from other weights is an error."""
        path = graph_path(self.folder, name)
        remedy = f"run: biaffinity export --model {self.folder}"
        if not path.is_file():
            raise DataError("no such file", where=str(path), remedy=remedy)
        try:
            session = onnxruntime.InferenceSession(path, self._options, providers=["CPUExecutionProvider"])
            made_from = session.get_modelmeta().custom_metadata_map.get(WEIGHTS_KEY)
        except Exception as error:  # onnxruntime's errors have no class of their own above them
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise DataError(f"is damaged: {reason}", where=str(path), remedy=remedy) from error
        if made_from != self._fingerprint:
            raise DataError(f"was made from other weights than {WEIGHTS}", where=str(path), remedy=remedy)

        def run(feeds: Mapping[str, Array]) -> Floats:
            result: Floats = session.run(None, dict(feeds))[0]
            return result

        return run

    @cached_property
    def _fingerprint(self) -> str:
        return weights_fingerprint(self.folder)

    @cached_property
    def _options(self) -> Any:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # A plan kept for every shape of batch, and an arena for each graph, would grow with a stream.
        options.enable_mem_pattern = options.enable_cpu_mem_arena = False
        options.log_severity_level = 3
        return options

    def _damaged(self, how: str) -> DataError:
        return DataError(f"is damaged: {how}", where=str(self._path), remedy="copy or train it again")
