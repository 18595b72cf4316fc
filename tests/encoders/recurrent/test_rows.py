"""Rows of words as whole numbers: what is lost, and what is not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.encoders.recurrent.rows import Rows, in_whole_numbers

EVERY = np.arange(7)


def rows_of(seed: int, scale: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.random.default_rng(seed).normal(0, scale, (len(EVERY), 11))


@given(seed=st.integers(0, 2**32), scale=st.sampled_from([0.02, 0.4, 1.0, 30.0]))
def test_no_number_is_off_by_more_than_half_a_step(seed: int, scale: float) -> None:
    rows = rows_of(seed, scale)
    kept = in_whole_numbers(rows)
    assert kept.numbers.dtype == np.int8
    assert kept.scales is not None
    step = kept.scales.astype(np.float64)[:, None]
    assert (np.abs(kept[EVERY] - rows) <= step / 2 + 1e-6).all()
    assert (step[:, 0] <= np.maximum(np.abs(rows).max(axis=1) / 127 * 1.13, 2**-10)).all()


@given(seed=st.integers(0, 2**32), scale=st.sampled_from([0.001, 0.4, 30.0]))
def test_half_precision_holds_them_exactly(seed: int, scale: float) -> None:
    back = in_whole_numbers(rows_of(seed, scale))[EVERY]
    assert back.dtype == np.float32
    np.testing.assert_array_equal(back.astype(np.float16).astype(np.float32), back)


def test_a_row_of_nothing_stays_so() -> None:
    assert not in_whole_numbers(np.zeros((2, 3)))[np.array([0, 1])].any()


def test_no_rows_are_no_trouble() -> None:
    assert len(in_whole_numbers(np.zeros((0, 3)))) == 0


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_rows_as_they_are_come_in_single_precision_in_any_shape(kind: type) -> None:
    rows = Rows(np.arange(6, dtype=kind).reshape(3, 2))
    found = rows[np.array([[2, 0], [1, 1]])]
    assert found.dtype == np.float32
    assert found.tolist() == [[[4, 5], [0, 1]], [[2, 3], [2, 3]]]
