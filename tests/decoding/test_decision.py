"""How relations are decided."""

from __future__ import annotations

import numpy as np
import pytest

from biaffinity.decoding.candidates import Pairs
from biaffinity.decoding.decision import Decoded, decide
from biaffinity.decoding.labels import Spans
from decoding.written import links

SPANS = Spans(*(np.array(column) for column in ([0, 0, 0], [0, 2, 4], [1, 3, 5], [0, 1, 1])))
PAIRS = Pairs(np.array([0, 1, 0]), np.array([1, 2, 2]))
PAIR_ENDS = [(0, 1), (1, 2), (0, 2)]
#: "No relation" and two types: sure of the second type, sure of nothing, all but even.
LOGITS = np.array([[0, 0, 4], [5, 0, 0], [0, 0.5, 0]], dtype=np.float32)


INF = float("inf")


def decided(span_scores: list[float], weight: float, floors: list[list[float]] | None = None) -> Decoded:
    scores = np.array(span_scores, dtype=np.float32)
    lowest = None if floors is None else np.array(floors, dtype=np.float32)
    return decide(SPANS, scores, PAIRS, LOGITS, entity_confidence_weight=weight, floors=lowest)


@pytest.mark.parametrize("weight", [0.0, 8.0])
def test_between_sure_entities_the_best_class_is_taken_with_its_softmax_probability(weight: float) -> None:
    found = decided([1, 1, 1], weight)
    assert links(found) == [(0, 1, 2), (0, 2, 1)]
    best = np.exp([4, 0.5]) / (np.exp([4, 0.5]) + 2)
    assert found.relation_scores == pytest.approx(best, abs=1e-6)


def test_doubt_about_an_entity_speaks_against_its_relations() -> None:
    assert links(decided([1, 1, 0.8], 8.0)) == [(0, 1, 2)]  # 8 * -log 0.8 = 1.8 > 0.5
    assert links(decided([0.8, 0.8, 1], 8.0)) == [(0, 1, 2)]  # 3.6 < 4 for the sure one
    assert links(decided([0.7, 0.8, 1], 8.0)) == []
    assert len(links(decided([0.7, 0.8, 1], 0.0))) == 2


def test_a_relation_scores_its_probability_times_those_of_its_entities() -> None:
    sure, unsure = decided([1, 1, 1], 0.0), decided([1, 0.9, 0.5], 0.0)
    assert unsure.relation_scores == pytest.approx(sure.relation_scores * [0.9, 0.5])


def test_the_weight_of_entities_in_the_decision_does_not_change_the_score_of_what_is_found() -> None:
    assert decided([1, 0.9, 0.5], 1.0).relation_scores[0] == decided([1, 0.9, 0.5], 0.0).relation_scores[0]


def test_of_a_class_with_a_floor_all_is_found_that_scores_as_much() -> None:
    """Of the three pairs the first type has the probabilities 0.018, 0.007 and 0.452."""
    for floor, expected in ((0.005, [0, 1, 2]), (0.01, [0, 2]), (0.4, [2]), (0.5, [])):
        found = links(decided([1, 1, 1], 0.0, [[INF, floor, INF]]))
        assert [link for link in found if link[2] == 1] == [(*PAIR_ENDS[pair], 1) for pair in expected]
        assert [link for link in found if link[2] == 2] == [(0, 1, 2)]  # decided, as without a floor


def test_a_floor_is_for_the_score_and_not_for_the_probability() -> None:
    assert links(decided([1, 1, 0.9], 0.0, [[INF, 0.4, INF]])) == [(0, 1, 2), (0, 2, 1)]
    assert links(decided([1, 1, 0.8], 0.0, [[INF, 0.4, INF]])) == [(0, 1, 2)]


def test_what_a_floor_brings_has_its_score_and_stands_with_its_pair() -> None:
    found = decided([1, 1, 0.5], 0.0, [[INF, 0.001, 0.001]])
    assert links(found) == [(0, 1, 1), (0, 1, 2), (1, 2, 1), (1, 2, 2), (0, 2, 1), (0, 2, 2)]
    softmax = np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True)
    expected = (softmax * [[1], [0.5], [0.5]])[:, 1:].ravel()
    assert found.relation_scores == pytest.approx(expected, abs=1e-6)


def test_each_sentence_has_its_own_floors() -> None:
    spans = Spans(*(np.array(c) for c in ([0, 0, 1, 1], [0, 2, 0, 2], [1, 3, 1, 3], [0, 1, 0, 1])))
    pairs, ones = Pairs(np.array([0, 2]), np.array([1, 3])), np.ones(4, dtype=np.float32)
    floors = np.array([[INF, INF, INF], [INF, 0.1, 0.1]], dtype=np.float32)
    logits = np.array([[1, 0, 0], [1, 0, 0]], dtype=np.float32)
    found = decide(spans, ones, pairs, logits, entity_confidence_weight=0.0, floors=floors)
    assert links(found) == [(2, 3, 1), (2, 3, 2)]


def test_no_relation_is_never_found_whatever_its_floor() -> None:
    assert links(decided([1, 1, 1], 0.0, [[0.0, INF, INF]])) == links(decided([1, 1, 1], 0.0))


def test_an_impossible_entity_has_no_relation_and_no_warning() -> None:
    assert links(decided([0, 1, 1], 1.0)) == []


@pytest.mark.parametrize("weight", [0.0, 8.0])
def test_no_candidates_have_no_relation(weight: float) -> None:
    found = decide(
        SPANS,
        np.ones(3, dtype=np.float32),
        PAIRS[:0],
        np.zeros((0, 3), dtype=np.float32),
        entity_confidence_weight=weight,
    )
    assert (links(found), len(found.relation_scores)) == ([], 0)


@pytest.mark.parametrize("several", [False, True])
def test_large_logits_have_finite_scores(several: bool) -> None:
    logits = np.array([[0, 500, -500], [-900, -800, -1000], [0, 0, 0]], dtype=np.float32)
    sure = np.ones(3, dtype=np.float32)
    found = decide(SPANS, sure, PAIRS, logits, entity_confidence_weight=0.0, several=several)
    assert found.relation_scores.tolist() == [1.0, 1.0]


def test_where_a_pair_may_have_several_it_has_all_that_are_ahead_of_none() -> None:
    logits = np.array([[0, 1, 4], [5, 0, 6], [0, 0.5, -1]], dtype=np.float32)
    sure, unsure = (np.array(scores, dtype=np.float32) for scores in ([1, 1, 1], [1, 0.8, 1]))
    found = decide(SPANS, sure, PAIRS, logits, entity_confidence_weight=8.0, several=True)
    assert links(found) == [(0, 1, 1), (0, 1, 2), (1, 2, 2), (0, 2, 1)]
    ahead = np.array([1, 4, 1, 0.5])
    assert found.relation_scores == pytest.approx(1 / (1 + np.exp(-ahead)), abs=1e-6)
    found = decide(SPANS, unsure, PAIRS, logits, entity_confidence_weight=8.0, several=True)
    assert links(found) == [(0, 1, 2), (0, 2, 1)]  # 8 * -log 0.8 = 1.8 > 1
