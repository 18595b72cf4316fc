"""Adversarial training: each batch is read a second time with its words moved to where the loss is higher.

Source: Miyato, Dai & Goodfellow (2017); for entities and relations together, Bekoulis et al. (2018). The step
is taken in the table of word or piece vectors, along the gradient that the first reading left there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class Adversary:
    """Moves tables of vectors along their gradients, each by a step of the length ``size``."""

    def __init__(self, tables: Iterable[nn.Parameter], size: float) -> None:
        self.tables = list(tables)
        self.size = size
        self._earlier: list[Tensor | None] = []

    def remember(self) -> None:
        """Take note of the gradients that earlier batches of the same update have left."""
        self._earlier = [None if table.grad is None else table.grad.clone() for table in self.tables]

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """While it lasts the tables are where the last gradient leads; then, to the bit, as they were."""
        places = [table.detach().clone() for table in self.tables]
        with torch.no_grad():
            for table, earlier in zip(self.tables, self._earlier, strict=True):
                if table.grad is not None:
                    gradient = table.grad if earlier is None else table.grad - earlier
                    length = gradient.norm().clamp(min=torch.finfo(gradient.dtype).tiny)
                    table.add_(gradient * (self.size / length))
        try:
            yield
        finally:
            with torch.no_grad():
                for table, place in zip(self.tables, places, strict=True):
                    table.copy_(place)
