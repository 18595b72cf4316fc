"""Cells: means, deviations, and tests over the seeds that two have in common."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.experiments.cells import Cell, number_ranges

SCORES = st.dictionaries(st.integers(1, 12), st.floats(0, 100), max_size=8)


@given(SCORES)
def test_a_cell_shows_mean_and_sample_deviation(values: dict[int, float]) -> None:
    shown = str(Cell(values))
    if not values:
        assert shown == "–"
        return
    array = np.array(list(values.values()))
    mean, _, rest = shown.partition(" ")
    assert float(mean) == pytest.approx(array.mean(), abs=0.0501)
    if len(array) > 1:
        assert float(rest.strip("()")) == pytest.approx(array.std(ddof=1), abs=0.0501)
    else:
        assert rest == ""


def test_only_common_seeds_are_paired() -> None:
    scipy_stats = pytest.importorskip("scipy.stats", reason="needs the extra stats")
    one = Cell({1: 66.0, 2: 65.1, 3: 66.4, 9: 1.0})
    other = Cell({2: 67.0, 1: 66.9, 3: 66.8, 4: 99.0})
    test = one.against(other)
    assert test is not None
    assert test.seeds == 3
    assert test.p == pytest.approx(scipy_stats.ttest_rel([66.0, 65.1, 66.4], [66.9, 67.0, 66.8]).pvalue)


def test_fewer_than_two_common_seeds_are_no_test() -> None:
    assert Cell({1: 66.0, 2: 65.1}).against(Cell({2: 67.0, 3: 66.8})) is None


@given(st.sets(st.integers(1, 30)))
def test_ranges_name_every_number_once(numbers: set[int]) -> None:
    named: list[int] = []
    for part in filter(None, number_ranges(numbers).split(", ")):
        first, _, last = part.partition("-")
        named += range(int(first), int(last or first) + 1)
    assert named == sorted(numbers)
