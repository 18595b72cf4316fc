"""What a model folder holds for the runtime: tensors as numpy arrays, and graphs as functions."""

from __future__ import annotations

import math
import mmap
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
from biaffinity.encoders.recurrent.rows import SCALES, Rows
from biaffinity.errors import DataError
from biaffinity.files import refused
from biaffinity.graphs.judge import SLACK, Signature, judge
from biaffinity.graphs.onnx_file import read_onnx
from biaffinity.graphs.wire import GraphError

#: Bytes of a graph beyond its numbers: names and nodes.
_STRUCTURE = 16 << 20


class FolderParts:
    """Tensors and graphs by name; a tensor must have the shape that the config gives it.

    ``fingerprint`` is that of the weights, where it is known already.
    """

    def __init__(self, folder: Path, threads: int = 1, fingerprint: str | None = None) -> None:
        self.folder = folder
        self._threads = threads
        self._known_fingerprint = fingerprint
        self._path = folder / WEIGHTS
        if not self._path.is_file():
            raise DataError(
                "no such file", where=str(self._path), remedy="the folder is not a finished model"
            )

    def _stored(self, name: str, *shape: int, whole: bool = False) -> Array:
        """A tensor in the precision it is kept in; ``whole`` numbers only where they may be."""
        self.require(name, *shape)  # before it is read: a file may say that it holds anything
        try:
            with safe_open(self._path, framework="numpy") as file:
                tensor: Array = file.get_tensor(name)
        except (SafetensorError, OSError, TypeError, ValueError, AttributeError) as error:
            raise self._damaged(str(error)) from error
        if not (np.issubdtype(tensor.dtype, np.floating) or (whole and tensor.dtype == np.int8)):
            raise self._damaged(f"tensor {name} holds {tensor.dtype}, not floating-point numbers")
        return tensor

    def require(self, name: str, *shape: int) -> None:
        """See that the weights have a tensor of this shape, so that the config does not claim another."""
        own = self.shapes.get(name)
        if own is None:
            raise DataError(
                f"lacks the tensor {name}",
                where=str(self._path),
                remedy="weights and config.json are not of one model",
            )
        if own != shape:
            what = f"tensor {name} is {list(own)}, the config wants {list(shape)}"
            raise DataError(what, where=str(self._path))

    def tensor(self, name: str, *shape: int) -> Floats:
        """A tensor in single precision."""
        return self._stored(name, *shape).astype(np.float32, copy=False)

    def rows(self, name: str, count: int, size: int) -> Rows:
        """A tensor of rows, in the precision it is kept in."""
        numbers = self._stored(name, count, size, whole=True)
        if numbers.dtype != np.int8:
            return Rows(numbers)
        return Rows(numbers, self.finite(name + SCALES, count))

    def finite(self, name: str, *shape: int) -> Floats:
        """A tensor in single precision, all of whose numbers are numbers."""
        tensor = self.tensor(name, *shape)
        if not np.isfinite(tensor).all():
            raise self._damaged(f"tensor {name} holds what is no number")
        return tensor

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of all tensors, by name."""
        try:
            with safe_open(self._path, framework="numpy") as file:
                return {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
        except (SafetensorError, OSError, TypeError, ValueError, AttributeError) as error:
            raise self._damaged(str(error)) from error

    def graph(self, name: str, signature: Signature) -> Graph:
        """``NAME.onnx`` as a function of its inputs.

        One that was made from other weights, that is not as its signature says, or that may ask for more than
        its model needs is an error, before any of it is run.
        """
        path = graph_path(self.folder, name)
        remedy = f"run: biaffinity export --model {self.folder}"
        if not path.is_file():
            raise DataError("no such file", where=str(path), remedy=remedy)
        self._check(path, signature, remedy)
        try:
            session = onnxruntime.InferenceSession(path, self._options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's errors have no class of their own above them
            raise DataError(f"is damaged: {_reason(error)}", where=str(path), remedy=remedy) from error

        def run(feeds: Mapping[str, Array]) -> Floats:
            try:
                result: Floats = session.run(None, dict(feeds))[0]
            except Exception as error:  # a look-up beyond the end of a table, say
                raise DataError(f"cannot be run: {_reason(error)}", where=str(path), remedy=remedy) from error
            sizes = {
                axis: size
                for key, axes in signature.inputs.items()
                for axis, size in zip(axes, feeds[key].shape, strict=True)
            }
            if result.shape != tuple(sizes.get(axis, axis) for axis in signature.result):
                raise DataError(f"gives an array of {result.shape}", where=str(path), remedy=remedy)
            return result

        return run

    def _check(self, path: Path, signature: Signature, remedy: str) -> None:
        numbers = sum(math.prod(shape) for shape in self.shapes.values())
        try:
            size = path.stat().st_size
            if not size:
                raise GraphError("is empty")
            if size > 4 * (numbers + SLACK) + _STRUCTURE:
                raise GraphError(f"has {size:,} bytes, more than the numbers of the weights need")
            with path.open("rb") as file:
                graph = read_onnx(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
            made_from = graph.notes.get(WEIGHTS_KEY)
            if made_from != self._fingerprint:
                raise DataError(f"was made from other weights than {WEIGHTS}", where=str(path), remedy=remedy)
            judge(graph, signature, numbers)
        except GraphError as error:
            raise DataError(
                f"is damaged or not safe to run: {error}", where=str(path), remedy=remedy
            ) from error
        except OSError as error:
            raise refused("read", path, error) from error

    @cached_property
    def _fingerprint(self) -> str:
        return self._known_fingerprint or weights_fingerprint(self.folder)

    @cached_property
    def _options(self) -> Any:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # A plan kept for every shape of batch, and an arena for each graph, would grow with a stream.
        options.enable_mem_pattern = options.enable_cpu_mem_arena = False
        options.log_severity_level = 4  # errors are raised as well, and told once
        return options

    def _damaged(self, how: str) -> DataError:
        return DataError(f"is damaged: {how}", where=str(self._path), remedy="copy or train it again")


def _reason(error: Exception) -> str:
    """The first line of an error."""
    return str(error).splitlines()[0] if str(error) else type(error).__name__
