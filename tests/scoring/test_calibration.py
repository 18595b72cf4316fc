"""Scores against what came true, by hand and by brute force."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.scoring.calibration import Bin, Calibration, calibrate, judge

GOLD = Sentence(
    ["Ana", "Ruiz", "left", "Solund", "Bay"],
    [Entity(0, 2, "Peop"), Entity(3, 5, "Loc")],
    [Relation("Live_In", 0, 1)],
    id="0",
)
PAIRS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40)


def test_an_entity_is_right_with_its_span_and_its_type() -> None:
    found = GOLD.annotated(
        [
            Entity(0, 2, "Peop", 0.9),
            Entity(0, 1, "Peop", 0.8),
            Entity(3, 5, "Org", 0.7),
            Entity(3, 5, "Loc", 0.6),
        ]
    )
    assert judge([GOLD], [found]).entities == [(0.9, True), (0.8, False), (0.7, False), (0.6, True)]


def test_a_relation_is_right_with_both_its_entities() -> None:
    right = GOLD.annotated(
        [Entity(0, 2, "Peop", 0.5), Entity(3, 5, "Loc", 0.5)], [Relation("Live_In", 0, 1, 0.9)]
    )
    wrong = GOLD.annotated(
        [Entity(0, 2, "Peop", 0.5), Entity(3, 5, "Org", 0.5)], [Relation("Live_In", 0, 1, 0.8)]
    )
    judged = judge([GOLD, GOLD], [right, wrong])
    assert judged.relations == [(0.9, True), (0.8, False)]


def test_what_has_no_score_is_passed_over() -> None:
    found = GOLD.annotated([Entity(0, 2, "Peop"), Entity(3, 5, "Loc", 0.5)], [Relation("Live_In", 0, 1, 0.9)])
    judged = judge([GOLD], [found])
    assert judged.entities == [(0.5, True)]
    assert judged.relations == [(0.9, True)]


def test_what_has_no_score_does_not_keep_what_follows_from_being_judged() -> None:
    entities = [Entity(0, 2, "Peop"), Entity(3, 5, "Loc")]
    found = GOLD.annotated(entities, [Relation("Kill", 0, 1), Relation("Live_In", 0, 1, 0.9)])
    assert judge([GOLD], [found]).relations == [(0.9, True)]


def test_all_of_gold_may_be_right() -> None:
    gold = GOLD.annotated([Entity(0, 2, "Peop")])
    assert judge([gold], [gold.annotated([Entity(0, 2, "Peop", 0.9)])]).entities == [(0.9, True)]


def test_nothing_found_has_an_empty_calibration() -> None:
    assert calibrate([]) == Calibration(0, 0.0, 0.0, 0.0, 0.0, 0.0, ())


def test_a_score_of_one_is_in_the_last_bin() -> None:
    found = calibrate([(1.0, True), (0.9, False)])
    assert found.bins == (Bin(0.9, 1.0, 2, 0.95, 0.5),)
    assert (found.count, found.mean_score, found.right) == (2, 0.95, 0.5)


@given(PAIRS)
def test_summary_is_that_of_a_loop(pairs: list[tuple[float, bool]]) -> None:
    found = calibrate(pairs)
    bins: dict[int, list[tuple[float, bool]]] = {}
    for score, right in pairs:
        bins.setdefault(min(int(score * 10), 9), []).append((score, right))
    apart = sum(
        abs(sum(right for _, right in members) - sum(score for score, _ in members))
        for members in bins.values()
    )
    surprise = [-math.log(max(score if right else 1 - score, 1e-6)) for score, right in pairs]
    assert found.count == len(pairs)
    assert found.error == pytest.approx(apart / len(pairs), abs=1e-9)
    assert found.brier == pytest.approx(sum((score - right) ** 2 for score, right in pairs) / len(pairs))
    assert found.log_loss == pytest.approx(sum(surprise) / len(pairs), abs=1e-9)
    assert [(one.low, one.count) for one in found.bins] == [(n / 10, len(bins[n])) for n in sorted(bins)]


@given(PAIRS)
def test_scores_that_are_certain_and_right_have_no_error(pairs: list[tuple[float, bool]]) -> None:
    found = calibrate([(float(right), right) for _, right in pairs])
    assert (found.error, found.brier) == (0, 0)
