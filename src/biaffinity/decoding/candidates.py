"""The pairs of entities that are looked at for a relation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biaffinity.decoding.arrays import Bools, Ints
from biaffinity.decoding.labels import Spans


@dataclass(frozen=True, slots=True)
class Pairs:
    """Ordered pairs of entities of a batch: indexes into its `Spans`."""

    head: Ints
    tail: Ints

    def __len__(self) -> int:
        return len(self.head)

    def __getitem__(self, chosen: slice | Ints) -> Pairs:
        return Pairs(self.head[chosen], self.tail[chosen])


def candidates(spans: Spans, related: Bools) -> Pairs:
    """All ordered pairs of spans of one sentence whose types may be ``related`` [types, types]."""
    size = len(spans)
    if size == 0:
        return Pairs(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    counts = np.bincount(spans.sentence)
    partners = counts[spans.sentence]
    head = np.repeat(np.arange(size), partners)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])[spans.sentence]
    # Within each head's block the tails run over its sentence from the first span on.
    block = np.cumsum(partners) - partners
    tail = np.arange(len(head)) - np.repeat(block, partners) + np.repeat(first, partners)
    keep = (head != tail) & related[spans.type[head], spans.type[tail]]
    return Pairs(head[keep], tail[keep])
