"""Decoding of scores that are written down by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from biaffinity.decoding.crf import CRFDecoder
from biaffinity.decoding.decode import decode
from biaffinity.decoding.network import Description
from decoding.written import SCHEMA, WrittenNetwork, batch_of, entities, links, written

#: The first two entities are related by the second type, by a margin of 3.
LIVES = {(0, 1): (0, 0, 3)}
PLACE = "U-Peop O U-Loc"
WITHIN: dict[str, Any] = {"boundaries": "given", "constrained": True}


def sigmoid(score: float) -> float:
    return 1 / (1 + math.exp(-score))


def only(labels: int, *allowed: int) -> list[bool]:
    """The mask of a token that may have these labels alone."""
    return [label in allowed for label in range(labels)]


def test_entities_are_those_of_the_best_labelling() -> None:
    network = written()
    found = decode(network, batch_of(network, "B-Peop L-Peop O U-Loc", "O B-Loc I-Loc L-Loc"))
    assert entities(found) == [(0, 0, 2, "Peop"), (0, 3, 4, "Loc"), (1, 1, 4, "Loc")]


def test_an_entity_scores_the_probability_of_its_labels() -> None:
    network = written(sure=2.0)
    found = decode(network, batch_of(network, "B-Peop L-Peop O U-Loc"))
    one = math.exp(2) / (math.exp(2) + 8)
    assert found.span_scores == pytest.approx([one**2, one], rel=1e-5)


def test_a_relation_is_the_best_class_with_its_probability() -> None:
    network = written(LIVES)
    found = decode(network, batch_of(network, PLACE))
    assert links(found) == [(0, 1, 2)]
    assert found.relation_scores == pytest.approx([math.exp(3) / (math.exp(3) + 2)], rel=1e-5)


def test_pairs_are_scored_under_the_labels_that_were_found() -> None:
    network = written()
    decode(network, batch_of(network, "U-Loc U-Peop U-Peop", "U-Peop U-Loc"))
    [(labels, pairs)] = network.asked
    assert labels.tolist() == [[4, 8, 8], [8, 4, 0]]
    assert pairs == [(1, 0), (2, 0), (3, 4)]


def test_any_pair_is_scored_where_types_do_not_matter() -> None:
    network = written(all_pairs=True)
    decode(network, batch_of(network, "U-Loc U-Loc"))
    assert [pairs for _, pairs in network.asked] == [[(0, 1), (1, 0)]]


@pytest.mark.parametrize("scores", [True, False])
def test_a_relation_of_uncertain_entities_is_dropped_where_their_confidence_counts(scores: bool) -> None:
    """Each entity has the probability 0.48, so that 1.47 times the weight speaks against the relation."""
    for weight, expected in ((0.0, [(0, 1, 2)]), (2.0, [(0, 1, 2)]), (2.1, [])):
        network = written(LIVES, sure=2.0, entity_confidence_weight=weight)
        assert links(decode(network, batch_of(network, PLACE), scores=scores)) == expected


@pytest.mark.parametrize("scores", [True, False])
def test_a_relation_of_sure_entities_is_kept_where_their_confidence_counts(scores: bool) -> None:
    network = written(LIVES, sure=20.0, entity_confidence_weight=50.0)
    assert links(decode(network, batch_of(network, PLACE), scores=scores)) == [(0, 1, 2)]


def test_without_scores_entities_have_the_score_1_where_nothing_depends_on_it() -> None:
    network = written(LIVES, sure=2.0)
    found = decode(network, batch_of(network, PLACE), scores=False)
    assert found.span_scores.tolist() == [1.0, 1.0]
    assert len(found.relations) == 1


def test_values_at_padding_mean_nothing() -> None:
    scores = np.zeros((2, 3, 9), dtype=np.float32)
    scores[0, 2, 0] = scores[1, 0, 8] = 9
    scores[1, 1:, 4] = 1e3
    network = written(scores=scores)
    assert entities(decode(network, batch_of(network, "O O O", "O"))) == [(1, 0, 1, "Peop")]


def test_only_legal_labellings_are_found_where_that_is_asked() -> None:
    scores = np.zeros((1, 2, 9), dtype=np.float32)
    scores[0, 0, 5], scores[0, 1, [0, 7]] = 3, [2, 1]  # B-Peop, then O or a little less likely L-Peop
    free, bound = written(scores=scores), written(scores=scores, constrained=True)
    batch = batch_of(free, "O O")
    assert entities(decode(free, batch)) == [(0, 0, 1, "Peop")]
    assert entities(decode(bound, batch)) == [(0, 0, 2, "Peop")]


def test_scores_of_neighbouring_labels_count() -> None:
    class Chained(WrittenNetwork):
        @property
        def crf(self) -> CRFDecoder:
            nothing = np.zeros(9, dtype=np.float32)
            return CRFDecoder(-30 * np.eye(9, k=4, dtype=np.float32), nothing, nothing)  # U-Loc, U-Peop

    network = Chained(Description(SCHEMA))
    assert entities(decode(network, batch_of(network, "U-Loc U-Loc"))) == [(0, 0, 1, "Loc"), (0, 1, 2, "Loc")]
    assert len(decode(network, batch_of(network, "U-Loc U-Peop")).spans) == 1


def test_a_label_that_is_not_allowed_is_not_found() -> None:
    network = written(LIVES)
    allowed = np.ones((1, 3, 9), dtype=bool)
    allowed[0, 0, 8] = False
    found = decode(network, batch_of(network, PLACE), allowed=allowed)
    assert entities(found) == [(0, 2, 3, "Loc")]


def test_the_only_label_that_is_allowed_is_certain() -> None:
    network = written(sure=2.0)
    allowed = np.array([[only(9, 4), only(9, 0), only(9, 4, 8)]])
    found = decode(network, batch_of(network, PLACE), allowed=allowed)
    assert entities(found) == [(0, 0, 1, "Loc"), (0, 2, 3, "Loc")]
    assert found.span_scores == pytest.approx([1, sigmoid(2)], rel=1e-5)


def test_where_all_labels_are_allowed_nothing_changes() -> None:
    network = written(LIVES, sure=2.0)
    batch = batch_of(network, PLACE, "U-Loc O")
    free = decode(network, batch)
    masked = decode(network, batch, allowed=np.ones((2, 3, 9), dtype=bool))
    assert (entities(masked), links(masked)) == (entities(free), links(free))
    np.testing.assert_array_equal(masked.span_scores, free.span_scores)


def within_scores() -> np.ndarray[Any, Any]:
    """Four tokens: Peop by 2, Loc by 1, O by 5, Loc by 5."""
    scores = np.zeros((1, 4, 3), dtype=np.float32)
    scores[0, [0, 1, 2, 3], [2, 1, 0, 1]] = 2, 1, 5, 5
    return scores


def test_a_given_entity_has_one_type_even_if_its_tokens_disagree() -> None:
    network = written(scores=within_scores(), **WITHIN)
    found = decode(network, batch_of(network, "a b c d", boundaries=["BLUO"]))
    assert entities(found)[0] == (0, 0, 2, "Peop")
    assert found.span_scores[0] == pytest.approx(sigmoid(2) * sigmoid(-1), rel=1e-5)


def test_what_is_given_is_an_entity_and_nothing_else_is() -> None:
    network = written(scores=within_scores(), **WITHIN)
    found = decode(network, batch_of(network, "a b c d", boundaries=["BLUO"]))
    assert [span[1:3] for span in entities(found)] == [(0, 2), (2, 3)]


def test_without_constraint_given_entities_may_be_split_or_dropped() -> None:
    network = written(scores=within_scores(), boundaries="given")
    found = decode(network, batch_of(network, "a b c d", boundaries=["BLUO"]))
    assert entities(found) == [(0, 0, 1, "Peop"), (0, 1, 2, "Loc")]


def test_given_entities_have_the_types_that_are_allowed() -> None:
    network = written(scores=within_scores(), **WITHIN)
    allowed = np.array([[only(3, 0, 1)] * 2 + [only(3, 0, 2), only(3, 0, 1, 2)]])
    found = decode(network, batch_of(network, "a b c d", boundaries=["BLUO"]), allowed=allowed)
    assert entities(found) == [(0, 0, 2, "Loc"), (0, 2, 3, "Peop")]
    assert found.span_scores == pytest.approx([1, 1])


def test_given_entities_of_several_sentences_are_told_apart() -> None:
    network = written(sure=3.0, **WITHIN)
    batch = batch_of(network, "Loc Peop Peop O", "Peop Loc", boundaries=["UBLO", "UU"])
    expected = [(0, 0, 1, "Loc"), (0, 1, 3, "Peop"), (1, 0, 1, "Peop"), (1, 1, 2, "Loc")]
    assert entities(decode(network, batch)) == expected


@pytest.mark.parametrize("weight", [0.0, 2.0])
@pytest.mark.parametrize("options", [{}, WITHIN], ids=["predicted", "given"])
def test_no_entity_at_all_is_no_trouble(options: dict[str, Any], weight: float) -> None:
    network = written(entity_confidence_weight=weight, **options)
    found = decode(network, batch_of(network, "O O", "O", boundaries=["OO", "O"] if options else None))
    assert len(found.spans) == len(found.span_scores) == len(found.pairs) == 0
    assert len(found.relations) == len(found.relation_scores) == 0
    assert network.asked == []


@pytest.mark.parametrize("weight", [0.0, 2.0])
def test_entities_without_a_candidate_are_found_and_no_pair_is_scored(weight: float) -> None:
    network = written(sure=2.0, entity_confidence_weight=weight)
    found = decode(network, batch_of(network, "U-Loc O U-Loc", "U-Peop O"))
    assert len(found.spans) == 3
    assert found.span_scores == pytest.approx(math.exp(2) / (math.exp(2) + 8), rel=1e-5)
    assert len(found.pairs) == len(found.relations) == len(found.relation_scores) == 0
    assert network.asked == []


@pytest.mark.parametrize("row", ["O", "U-Loc U-Loc", PLACE])
def test_scores_are_in_single_precision(row: str) -> None:
    network = written(LIVES)
    found = decode(network, batch_of(network, row))
    assert found.span_scores.dtype == found.relation_scores.dtype == np.float32
