"""What a least score leaves of a sentence; the asking of it is tested with the extractor."""

from __future__ import annotations

import pytest

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.extraction.thresholds import Thresholds

SENTENCE = Sentence(
    ["Ana", "left", "Oslo"],
    [Entity(0, 1, "Peop", 0.5), Entity(2, 3, "Loc", 0.75)],
    [Relation("Live_In", 0, 1, 0.25)],
)
NEXT_ABOVE = {0.5: 0.5000000000000001, 0.25: 0.25000000000000006}


def kept(person: float, live_in: float) -> Sentence:
    return Thresholds({"Peop": person, "Loc": 0.0}, {"Live_In": live_in}).kept(SENTENCE)


def test_an_entity_that_scores_exactly_the_least_score_stays() -> None:
    assert kept(0.5, 0.0) == SENTENCE


def test_a_relation_that_scores_exactly_the_least_score_stays() -> None:
    assert kept(0.0, 0.25) == SENTENCE


def test_an_entity_that_scores_less_goes_and_takes_its_relations_along() -> None:
    assert kept(NEXT_ABOVE[0.5], 0.0) == SENTENCE.annotated([SENTENCE.entities[1]])


def test_a_relation_that_scores_less_goes_alone() -> None:
    assert kept(0.0, NEXT_ABOVE[0.25]) == SENTENCE.annotated(SENTENCE.entities)


def test_the_arguments_of_a_relation_that_stays_are_counted_anew() -> None:
    entities = [Entity(1, 2, "Peop", 0.1), *SENTENCE.entities]
    sentence = SENTENCE.annotated(entities, [Relation("Live_In", 1, 2, 0.25)])
    assert Thresholds({"Peop": 0.5, "Loc": 0.5}, {"Live_In": 0.0}).kept(sentence) == SENTENCE


@pytest.mark.parametrize("least", [0.0, 1.0])
def test_what_has_no_score_stays(least: float) -> None:
    given = SENTENCE.annotated([Entity(0, 1, "Peop"), Entity(2, 3, "Loc")], [Relation("Live_In", 0, 1)])
    assert Thresholds({"Peop": least, "Loc": least}, {"Live_In": least}).kept(given) == given
