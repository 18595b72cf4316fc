"""Padding against rows written one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.decoding.arrays import padded


@given(st.lists(st.lists(st.integers(-9, 9), max_size=6), min_size=1, max_size=5))
def test_each_row_holds_its_values_and_then_zeros(rows: list[list[int]]) -> None:
    lengths = np.array([len(row) for row in rows])
    found = padded(np.array([value for row in rows for value in row], dtype=np.int64), lengths)
    assert found.tolist() == [row + [0] * (lengths.max() - len(row)) for row in rows]
    assert found.dtype == np.int64
