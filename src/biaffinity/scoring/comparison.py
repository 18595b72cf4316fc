"""Is one prediction better than another on the same gold, or was it luck? Two tests for every cell.

The paired bootstrap draws sentences anew and asks how often the difference of the F1s keeps its
sign. Approximate randomisation (Noreen 1989) supposes that the two systems are the same, swaps
their predictions sentence by sentence at the toss of a coin, and asks how often a difference as
large as the measured one comes out. Both p-values are two-sided, and both count the measured
outcome as one more sample, so that none is ever zero.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from biaffinity.errors import UsageError
from biaffinity.scoring.averages import Array
from biaffinity.scoring.matching import Cell
from biaffinity.scoring.resampling import block_sizes, drawn, joined, per_sentence, redrawn, weighted
from biaffinity.scoring.sheet import OTHER, cells, nested
from biaffinity.scoring.tally import Tally

# A mean over types rounds in its last digits: differences closer than this are equal.
_ROUNDING = 1e-12

_Table = dict[Cell, Array]


@dataclass(frozen=True, slots=True)
class Difference:
    """The F1 of one cell for both predictions, by how much the first is better, and two p-values."""

    f1: float
    rival_f1: float
    difference: float
    p_bootstrap: float
    p_randomisation: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Every averaged cell of the sheet, compared between two predictions."""

    differences: Mapping[Cell, Difference]
    samples: int

    def __getitem__(self, path: Cell) -> Difference:
        return self.differences[path]

    def to_dict(self) -> dict[str, Any]:
        """Nested JSON objects with the keys of the score sheet."""
        leaves = {path: asdict(difference) for path, difference in self.differences.items()}
        return {"samples": self.samples, **nested(leaves)}


def compare(
    tally: Tally, rival: Tally, *, other: Collection[str] = OTHER, samples: int = 1000, seed: int = 0
) -> Comparison:
    """Compare two predictions that were counted against the same gold.

    The same seed gives the same p-values.
    """
    pair = _Pair(tally, rival, other)
    drawing, tossing = np.random.default_rng(seed).spawn(2)
    f1, rival_f1 = pair.measured()
    resampled = joined(pair.redrawn(weights) for weights in drawn(tally.sentences, samples, drawing))
    swapped = joined(pair.swapped(coins) for coins in _tossed(tally.sentences, samples, tossing))
    differences = {}
    for path in f1:
        measured = float(f1[path] - rival_f1[path])
        not_above = int(np.sum(resampled[path] <= _ROUNDING))
        not_below = int(np.sum(resampled[path] >= -_ROUNDING))
        as_large = int(np.sum(np.abs(swapped[path]) >= abs(measured) - _ROUNDING))
        differences[path] = Difference(
            f1=float(f1[path]),
            rival_f1=float(rival_f1[path]),
            difference=measured,
            p_bootstrap=min(1.0, 2 * (min(not_above, not_below) + 1) / (samples + 1)),
            p_randomisation=(as_large + 1) / (samples + 1),
        )
    return Comparison(differences, samples)


class _Pair:
    """The per-sentence counts of two predictions, on one list of types."""

    def __init__(self, tally: Tally, rival: Tally, other: Collection[str]) -> None:
        self.other = other
        self.types = {
            path: sorted({*ledger.types, *rival.ledgers[path].types})
            for path, ledger in tally.ledgers.items()
        }
        self.mine, self.theirs = per_sentence(tally, self.types), per_sentence(rival, self.types)
        if any(not np.array_equal(self.mine[path][..., 0], self.theirs[path][..., 0]) for path in self.types):
            raise UsageError("the two predictions were not counted against the same gold")

    def measured(self) -> tuple[_Table, _Table]:
        """Both F1s of every cell."""
        return (
            self._f1s({path: counts.sum(axis=0) for path, counts in self.mine.items()}),
            self._f1s({path: counts.sum(axis=0) for path, counts in self.theirs.items()}),
        )

    def redrawn(self, weights: Array) -> _Table:
        """Differences [block] where sentences count by their weights [block, sentences]."""
        mine, theirs = self._f1s(redrawn(self.mine, weights)), self._f1s(redrawn(self.theirs, weights))
        return {path: mine[path] - theirs[path] for path in mine}

    def swapped(self, coins: Array) -> _Table:
        """Differences [block] where sentences with coin 1 [block, sentences] change sides."""
        mine, theirs = {}, {}
        for path in self.types:
            moved = weighted(self.theirs[path] - self.mine[path], coins)
            mine[path] = self.mine[path].sum(axis=0) + moved
            theirs[path] = self.theirs[path].sum(axis=0) - moved
        first, second = self._f1s(mine), self._f1s(theirs)
        return {path: first[path] - second[path] for path in first}

    def _f1s(self, totals: Mapping[Cell, Array]) -> _Table:
        table = cells(totals, self.types, self.other)
        return {path: cell.f1 for path, cell in table.items() if "per_type" not in path}


def _tossed(sentences: int, samples: int, random: np.random.Generator) -> Iterator[Array]:
    for size in block_sizes(sentences, samples):
        yield random.integers(2, size=(size, sentences)).astype(np.float64)
