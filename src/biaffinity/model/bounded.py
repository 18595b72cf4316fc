"""A network is made no larger than its weights: a config may say anything."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from biaffinity.config.folder import CONFIG
from biaffinity.errors import DataError

#: What making a network may take beyond the numbers and tensors of its weights: what is made twice because it
#: is initialised or shared, and positions and the like.
_TIMES, _NUMBERS, _TENSORS = 2, 1 << 20, 256
_FACTORIES = (torch.empty, torch.full, torch.ones, torch.rand, torch.randn, torch.zeros)


class NoLargerThan(TorchFunctionMode):
    """While it lasts, tensors that are made are counted; the one too many is an error instead."""

    def __init__(self, shapes: Mapping[str, Sequence[int]], folder: Path) -> None:
        super().__init__()
        self._numbers = _TIMES * sum(math.prod(shape) for shape in shapes.values()) + _NUMBERS
        self._tensors = _TIMES * len(shapes) + _TENSORS
        self._where = str(folder / CONFIG)

    def __torch_function__(
        self, function: Callable[..., Any], types: Any, arguments: Any = (), options: Any = None
    ) -> Any:
        """Count what a function makes before it does."""
        options = options or {}
        if function in _FACTORIES:
            size = options.get("size", arguments[0] if arguments else ())
            self._count(math.prod(size if isinstance(size, Sequence) else _wholes(arguments)))
        elif function is torch.arange:
            self._count(max(_wholes([*arguments, options.get("end", 0)])))
        return function(*arguments, **options)

    def check_layers(self, layers: int) -> None:
        """See that there are no more layers than tensors, before a list of them is made."""
        if layers > self._tensors:
            raise self._too_large()

    def _count(self, numbers: int) -> None:
        self._numbers -= numbers
        self._tensors -= 1
        if min(self._numbers, self._tensors) < 0:
            raise self._too_large()

    def _too_large(self) -> DataError:
        return DataError(
            "asks for a larger network than the weights hold",
            where=self._where,
            remedy="weights and config.json are not of one model",
        )


def _wholes(arguments: Sequence[Any]) -> list[int]:
    return [int(argument) for argument in arguments if isinstance(argument, int | float)]
