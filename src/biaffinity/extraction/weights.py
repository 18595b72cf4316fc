"""The weights of a model folder as numpy arrays."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open

from biaffinity.encoding.decoded import Floats
from biaffinity.errors import DataError
from biaffinity.model.description import WEIGHTS

#: Parts left out of the fingerprint: the large ones. Any step of training changes the others too.
_LARGE = (".words.", ".lstm.")


class Weights:
    """Tensors by name; what is asked for must be there in the shape that the config gives it."""

    def __init__(self, path: Path, tensors: dict[str, npt.NDArray[Any]]) -> None:
        self.path = path
        self._tensors = tensors

    @classmethod
    def read(cls, folder: Path) -> Weights:
        """The weights in a model folder."""
        path = folder / WEIGHTS
        if not path.is_file():
            raise DataError("no such file", where=str(path), remedy="the folder is not a finished model")
        try:
            with safe_open(path, framework="numpy") as file:
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except (SafetensorError, OSError, TypeError, ValueError, AttributeError) as error:
            raise DataError(
                f"is damaged: {error}", where=str(path), remedy="copy or train it again"
            ) from error
        for name, tensor in tensors.items():
            if not np.issubdtype(tensor.dtype, np.floating):
                raise DataError(
                    f"is damaged: tensor {name} holds {tensor.dtype}, not floating-point numbers",
                    where=str(path),
                    remedy="copy or train it again",
                )
        return cls(path, tensors)

    def stored(self, name: str, *shape: int) -> npt.NDArray[Any]:
        """A tensor in the precision it is kept in."""
        tensor = self._tensors.get(name)
        if tensor is None:
            raise DataError(
                f"lacks the tensor {name}",
                where=str(self.path),
                remedy="weights and config.json are not of one model",
            )
        if tensor.shape != shape:
            raise DataError(
                f"tensor {name} is {list(tensor.shape)}, the config wants {list(shape)}", where=str(self.path)
            )
        return tensor

    def tensor(self, name: str, *shape: int) -> Floats:
        """A tensor in single precision."""
        return self.stored(name, *shape).astype(np.float32, copy=False)

    def fingerprint(self) -> str:
        """A name for these very weights, quickly computed."""
        digest = hashlib.sha256()
        for name in sorted(self._tensors):
            if not any(part in name for part in _LARGE):
                digest.update(name.encode())
                digest.update(np.ascontiguousarray(self._tensors[name]).tobytes())
        return digest.hexdigest()
