"""Rates and averages of counts, with one and with many axes."""

from __future__ import annotations

import numpy as np
import pytest

from biaffinity.scoring.averages import macro, micro, rates

# Three types: half right, all right, never predicted; (gold, predicted, correct).
COUNTS = np.array([[4.0, 2.0, 1.0], [3.0, 3.0, 3.0], [1.0, 0.0, 0.0]])
ABSENT = np.zeros((1, 3))


def test_rates_are_correct_over_predicted_and_over_gold():
    result = rates(COUNTS[0])
    assert (result.precision, result.recall) == (0.5, 0.25)
    assert result.f1 == pytest.approx(2 * 0.5 * 0.25 / 0.75)


def test_a_zero_denominator_gives_zero_without_a_warning():
    result = rates(np.array([[0.0, 0.0, 0.0], [5.0, 0.0, 0.0], [0.0, 5.0, 0.0]]))
    assert not result.precision.any()
    assert not result.recall.any()
    assert not result.f1.any()


def test_micro_throws_all_types_together():
    result = micro(COUNTS)
    assert (result.gold, result.predicted, result.correct) == (8, 5, 4)
    assert (result.precision, result.recall) == (4 / 5, 4 / 8)


def test_macro_is_the_mean_of_rates_with_the_totals():
    result = macro(COUNTS)
    assert result.f1 == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert (result.precision, result.recall) == pytest.approx((1.5 / 3, 1.25 / 3))
    assert (result.gold, result.predicted, result.correct) == (8, 5, 4)


def test_macro_passes_over_a_type_that_occurs_nowhere():
    assert macro(np.concatenate([COUNTS, ABSENT])).f1 == macro(COUNTS).f1


def test_macro_of_no_types_is_zero():
    assert macro(np.zeros((0, 3))).f1 == 0


def test_leading_axes_are_worked_one_by_one():
    batch = np.stack([COUNTS, COUNTS[::-1] * 2])
    for average in (micro, macro):
        alone = [average(batch[0]), average(batch[1])]
        together = average(batch)
        for name in ("precision", "recall", "f1", "gold", "predicted", "correct"):
            assert getattr(together, name) == pytest.approx([float(getattr(each, name)) for each in alone])
