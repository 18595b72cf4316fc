"""A cell of a table: the scores of one variant over its seeds, and how they compare."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from biaffinity.scoring import PairedTTest, paired_t_test

MISSING = "–"


@dataclass(frozen=True, slots=True)
class Cell:
    """Scores by seed.

    >>> str(Cell({1: 64.0, 2: 65.0})), str(Cell({1: 64.0})), str(Cell({}))
    ('64.5 (0.7)', '64.0', '–')
    """

    values: Mapping[int, float]

    @property
    def mean(self) -> float:
        """The mean over seeds."""
        return statistics.fmean(self.values.values())

    @property
    def deviation(self) -> float | None:
        """The standard deviation over seeds; one seed has none."""
        return statistics.stdev(self.values.values()) if len(self.values) > 1 else None

    def against(self, other: Cell) -> PairedTTest | None:
        """The paired t-test against another cell, over the seeds that both have; None below two."""
        common = sorted(self.values.keys() & other.values.keys())
        if len(common) < 2:
            return None
        return paired_t_test([self.values[seed] for seed in common], [other.values[seed] for seed in common])

    def __str__(self) -> str:
        if not self.values:
            return MISSING
        deviation = self.deviation
        return f"{self.mean:.1f}" + ("" if deviation is None else f" ({deviation:.1f})")


def number_ranges(numbers: set[int]) -> str:
    """Whole numbers as people write them.

    >>> number_ranges({1, 2, 3, 7, 9, 10})
    '1-3, 7, 9, 10'
    """
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    written = (f"{p[0]}-{p[-1]}" if len(p) > 2 else ", ".join(map(str, p)) for p in parts)
    return ", ".join(written)
