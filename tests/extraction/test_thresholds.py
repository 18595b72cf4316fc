"""What a least score asks for, and what it leaves of a sentence; see also the tests of the extractor."""

from __future__ import annotations

import pytest

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.errors import UsageError
from biaffinity.extraction.thresholds import FLOOR, Thresholds

SENTENCE = Sentence(
    ["Ana", "left", "Oslo"],
    [Entity(0, 1, "Peop", 0.5), Entity(2, 3, "Loc", 0.75)],
    [Relation("Live_In", 0, 1, 0.25)],
)
NEXT_ABOVE = 0.5000000000000001


def kept(person: float) -> Sentence:
    return Thresholds({"Peop": person, "Loc": 0.0}, {"Live_In": 1.0}).kept(SENTENCE)


def test_an_entity_that_scores_exactly_the_least_score_stays() -> None:
    assert kept(0.5) == SENTENCE


def test_an_entity_that_scores_less_goes_and_takes_its_relations_along() -> None:
    assert kept(NEXT_ABOVE) == SENTENCE.annotated([SENTENCE.entities[1]])


def test_the_arguments_of_a_relation_that_stays_are_counted_anew() -> None:
    entities = [Entity(1, 2, "Peop", 0.1), *SENTENCE.entities]
    sentence = SENTENCE.annotated(entities, [Relation("Live_In", 1, 2, 0.25)])
    assert Thresholds({"Peop": 0.5, "Loc": 0.5}, {"Live_In": 0.0}).kept(sentence) == SENTENCE


@pytest.mark.parametrize("least", [0.0, 1.0])
def test_what_has_no_score_stays(least: float) -> None:
    given = SENTENCE.annotated([Entity(0, 1, "Peop"), Entity(2, 3, "Loc")], [Relation("Live_In", 0, 1)])
    assert Thresholds({"Peop": least, "Loc": least}, {"Live_In": least}).kept(given) == given


def test_the_decoder_is_told_the_least_scores_of_relations_in_the_order_of_its_classes() -> None:
    floors = Thresholds({"Peop": 0.9}, {"Kill": None, "Live_In": 0.25, "Work_For": 0.0}).floors
    assert floors is not None
    assert floors.tolist() == pytest.approx([float("inf"), float("inf"), 0.25, FLOOR])


@pytest.mark.parametrize("least", [{}, {"entities": 0.5}, {"Peop": 0.5}])
def test_what_asks_nothing_of_relations_leaves_them_to_the_decision(least: dict[str, float]) -> None:
    assert Thresholds.read(least, ["Peop"], ["Kill"]).floors is None


def test_a_type_that_is_not_known_is_answered_with_those_that_are() -> None:
    with pytest.raises(UsageError) as caught:
        Thresholds.read({"Pope": 0.5}, ["Peop", "Loc"], ["Live_In"])
    assert str(caught.value) == (
        "min_score names 'Pope', which the model does not know "
        "(it knows entities, relations, Peop, Loc, Live_In)"
    )


def test_one_number_is_for_all() -> None:
    assert Thresholds.read(0.5, ["Peop"], ["Live_In"]) == Thresholds({"Peop": 0.5}, {"Live_In": 0.5})


def test_a_type_has_its_own_number_or_that_of_its_kind_or_none() -> None:
    read = Thresholds.read({"entities": 0.5, "Loc": 1, "Kill": 0.25}, ["Peop", "Loc"], ["Kill", "Live_In"])
    assert read == Thresholds({"Peop": 0.5, "Loc": 1}, {"Kill": 0.25, "Live_In": None})


@pytest.mark.parametrize("value", [0, 1, 0.0, 1.0])
def test_nothing_and_certainty_may_be_asked_for(value: float) -> None:
    assert Thresholds.read(value, ["Peop"], []).entities == {"Peop": value}


@pytest.mark.parametrize("value", [-0.001, 1.001, float("nan"), True, "high", None])
def test_a_number_that_no_score_can_be_is_refused(value: float) -> None:
    with pytest.raises(UsageError) as caught:
        Thresholds.read({"Live_In": value}, [], ["Live_In"])
    assert str(caught.value) == f"min_score must be a number from 0 to 1, not {value!r}"


def test_given_entities_stay_whatever_is_asked_of_theirs() -> None:
    strict = Thresholds({"Peop": 0.5, "Loc": 1.0}, {"Live_In": 0.75})
    assert strict.for_relations() == Thresholds({"Peop": 0.0, "Loc": 0.0}, {"Live_In": 0.75})
