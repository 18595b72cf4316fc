"""The t-tests, against scipy's own and in the cases scipy leaves undefined."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from biaffinity.errors import MissingExtraError, UsageError
from biaffinity.scoring import PairedTTest, paired_t_test
from biaffinity.scoring.significance import welch_p_value

SCORES = st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), min_size=2, max_size=12)


@given(SCORES)
def test_t_and_p_equal_scipys(pairs):
    first, second = ([score / 1000 for score in side] for side in zip(*pairs, strict=True))
    assume(len({a - b for a, b in pairs}) > 1)
    result, reference = paired_t_test(first, second), stats.ttest_rel(first, second)
    assert (result.t, result.p) == pytest.approx((reference.statistic, reference.pvalue), rel=1e-6, abs=1e-12)
    assert result.seeds == len(pairs)


@given(SCORES)
def test_swapping_the_systems_changes_the_sign_alone(pairs):
    first, second = ([score / 1000 for score in side] for side in zip(*pairs, strict=True))
    there, back = paired_t_test(first, second), paired_t_test(second, first)
    assert (there.t, there.difference) == pytest.approx((-back.t, -back.difference))
    assert there.p == pytest.approx(back.p)


def test_equal_scores_are_no_difference():
    assert paired_t_test([0.6, 0.7, 0.8], [0.6, 0.7, 0.8]) == PairedTTest(0.0, 0.0, 1.0, 3)


def test_a_constant_difference_leaves_no_doubt():
    result = paired_t_test([0.61, 0.71, 0.81], [0.6, 0.7, 0.8])
    assert (result.t, result.p, result.stars) == (math.inf, 0.0, "**")
    assert result.difference == pytest.approx(0.01)
    assert result.seeds == 3


def test_a_constant_loss_is_negative():
    assert paired_t_test([1, 2], [2, 3]).t == -math.inf


@pytest.mark.parametrize(("p", "stars"), [(0.0099, "**"), (0.01, "*"), (0.0499, "*"), (0.05, ""), (1.0, "")])
def test_stars_mark_the_usual_levels(p, stars):
    assert PairedTTest(0.1, 2.0, p, 10).stars == stars


@pytest.mark.parametrize(("first", "second"), [([0.5], [0.4]), ([0.5, 0.6], [0.4]), ([], [])])
def test_too_few_or_uneven_scores_are_an_error(first, second):
    with pytest.raises(UsageError) as caught:
        paired_t_test(first, second)
    assert str(caught.value) == (
        f"a paired t-test needs two or more pairs of scores, not {len(first)} and {len(second)} "
        "(give one score per seed for each system, in the same order of seeds)"
    )


def test_a_score_that_is_not_a_number_is_an_error():
    with pytest.raises(UsageError) as caught:
        paired_t_test([0.5, math.nan], [0.4, 0.4])
    assert str(caught.value) == "a score is not a number (leave out the seeds that failed, on both sides)"


def test_without_scipy_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    with pytest.raises(MissingExtraError, match=r"^the t-test needs an extra") as caught:
        paired_t_test([0.5, 0.6], [0.4, 0.4])
    assert "biaffinity[stats]" in str(caught.value)


@given(
    st.lists(st.floats(50, 90), min_size=2, max_size=12, unique=True),
    st.lists(st.floats(50, 90), min_size=2, max_size=12, unique=True),
)
def test_welch_s_test_is_scipy_s(first: list[float], second: list[float]) -> None:
    one, other = ((np.mean(scores), np.std(scores, ddof=1), len(scores)) for scores in (first, second))
    reference = stats.ttest_ind(first, second, equal_var=False)
    assert welch_p_value(one, other) == pytest.approx(reference.pvalue, rel=1e-6, abs=1e-12)


def test_welch_s_test_without_spread_or_seeds() -> None:
    assert welch_p_value((64.0, 0.0, 10), (64.0, 0.0, 10)) == 1
    assert welch_p_value((64.0, 0.0, 10), (63.0, 0.0, 10)) == 0
    with pytest.raises(UsageError, match="two or more seeds"):
        welch_p_value((64.0, 0.0, 1), (64.0, 1.0, 10))
