"""Two predictions compared: p-values against exact enumeration, and what must always hold."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings

from biaffinity.annotation import Entity, Sentence
from biaffinity.errors import UsageError
from biaffinity.scoring import compare, count, score
from scoring.predictions import predicted_corpora

TYPES = ["Loc", "Org", "Peop"]
GOLD = [Sentence(["Vane", "Ida"], [Entity(0, 1, TYPES[i % 3])], id=str(i)) for i in range(8)]


def with_right(*right: int) -> list[Sentence]:
    """A prediction that is right in the given sentences and empty elsewhere."""
    return [s if i in right else s.annotated([]) for i, s in enumerate(GOLD)]


GOOD, FAIR = with_right(0, 1, 2, 3, 4, 5), with_right(5, 6)


def difference(path, gold, first, second):
    return score(gold, first)[path].f1 - score(gold, second)[path].f1


@pytest.mark.parametrize("path", [("ner", "micro"), ("paper", "ner")])
def test_randomisation_comes_near_the_p_value_of_all_swaps(path):
    measured = abs(difference(path, GOLD, GOOD, FAIR))
    as_large = 0
    for coins in product([False, True], repeat=len(GOLD)):
        swapped = [(b, a) if coin else (a, b) for a, b, coin in zip(GOOD, FAIR, coins, strict=True)]
        first, second = map(list, zip(*swapped, strict=True))
        as_large += abs(difference(path, GOLD, first, second)) >= measured - 1e-12
    exact = as_large / 2 ** len(GOLD)
    cell = compare(count(GOLD, GOOD), count(GOLD, FAIR), samples=4000)[path]
    assert cell.p_randomisation == pytest.approx(exact, abs=0.03)


def test_the_bootstrap_comes_near_the_p_value_of_all_resamples():
    gold, good, fair = GOLD[3:7], GOOD[3:7], FAIR[3:7]
    signs = []
    for picks in product(range(4), repeat=4):
        redrawn = ([side[i] for i in picks] for side in (gold, good, fair))
        signs.append(difference(("ner", "micro"), *redrawn))
    not_above, not_below = sum(d <= 1e-12 for d in signs), sum(d >= -1e-12 for d in signs)
    exact = min(1.0, 2 * min(not_above, not_below) / len(signs))
    cell = compare(count(gold, good), count(gold, fair), samples=4000)["ner", "micro"]
    assert cell.p_bootstrap == pytest.approx(exact, abs=0.05)


def test_a_large_and_steady_difference_is_significant():
    gold = GOLD * 10
    cell = compare(count(gold, gold), count(gold, with_right(0) * 10), samples=500)["ner", "micro"]
    assert cell.p_bootstrap < 0.01
    assert cell.p_randomisation < 0.01


def test_no_p_value_is_zero():
    gold = GOLD * 10
    cell = compare(count(gold, gold), count(gold, with_right() * 10), samples=99)["ner", "micro"]
    assert (cell.p_bootstrap, cell.p_randomisation) == (0.02, 0.01)


@settings(max_examples=25)
@given(predicted_corpora(systems=2))
def test_the_differences_are_those_of_the_sheets_and_the_p_values_are_probabilities(corpora):
    gold, first, second = corpora
    mine, theirs = score(gold, first), score(gold, second)
    comparison = compare(count(gold, first), count(gold, second), samples=20)
    assert set(comparison.differences) == {path for path in mine.scores if "per_type" not in path}
    for path, cell in comparison.differences.items():
        assert (cell.f1, cell.rival_f1) == pytest.approx((mine[path].f1, theirs[path].f1))
        assert cell.difference == pytest.approx(mine[path].f1 - theirs[path].f1)
        assert 0 < cell.p_bootstrap <= 1
        assert 0 < cell.p_randomisation <= 1


@settings(max_examples=25)
@given(predicted_corpora())
def test_a_prediction_never_differs_from_itself(pair):
    tally = count(*pair)
    for cell in compare(tally, tally, samples=20).differences.values():
        assert (cell.difference, cell.p_bootstrap, cell.p_randomisation) == (0, 1, 1)


def test_the_other_way_round_the_difference_changes_its_sign_alone():
    there = compare(count(GOLD, GOOD), count(GOLD, FAIR), samples=100)["ner", "micro"]
    back = compare(count(GOLD, FAIR), count(GOLD, GOOD), samples=100)["ner", "micro"]
    assert there.difference == -back.difference
    assert (there.p_bootstrap, there.p_randomisation) == (back.p_bootstrap, back.p_randomisation)


def test_another_gold_is_an_error():
    with pytest.raises(UsageError, match="same gold"):
        compare(count(GOLD, GOOD), count(FAIR, FAIR))


def test_another_number_of_sentences_is_an_error():
    with pytest.raises(UsageError, match="same gold"):
        compare(count(GOLD, GOOD), count(GOLD[:4], FAIR[:4]))


def test_the_record_has_the_keys_of_the_sheet():
    record = compare(count(GOLD, GOOD), count(GOLD, FAIR), samples=10).to_dict()
    assert set(record["paper"]["rc"]) == {"f1", "rival_f1", "difference", "p_bootstrap", "p_randomisation"}
    assert record["samples"] == 10
