"""Adversarial training: each batch is read a second time with its words moved to where the loss is higher.

Source: Miyato, Dai & Goodfellow (2017); for entities and relations together, Bekoulis et al. (2018). The step
is taken in the table of word or piece vectors, along the gradient that the first reading left there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn


def gradients(tables: Sequence[nn.Parameter]) -> list[Tensor | None]:
    """The gradients of tables as they are now, before another batch of the same update adds to them."""
    return [None if table.grad is None else table.grad.clone() for table in tables]


@contextmanager
def moved(tables: Sequence[nn.Parameter], earlier: Sequence[Tensor | None], size: float) -> Iterator[None]:
    """While it lasts each table is a step of length ``size`` along what its gradient has grown by.

    Args:
        tables: of the vectors of words.
        earlier: their gradients before the batch that leads.
        size: the length of the step, over all rows of a table together.

    Afterwards they are, to the bit, as they were.
    """
    places = [table.detach().clone() for table in tables]
    try:
        with torch.no_grad():
            for table, before in zip(tables, earlier, strict=True):
                if table.grad is not None:
                    gradient = table.grad if before is None else table.grad - before
                    length = gradient.norm().clamp(min=torch.finfo(gradient.dtype).tiny)
                    table.add_(gradient * (size / length))
        yield
    finally:
        with torch.no_grad():
            for table, place in zip(tables, places, strict=True):
                table.copy_(place)
