"""The types that are taken for one another most often."""

from __future__ import annotations

from hypothesis import given

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.scoring import score, score_with_confusions
from biaffinity.scoring.confusions import Confusion, worst_confusions
from scoring.predictions import predicted_corpora

SENTENCE = Sentence(
    ["Ana", "Ruiz", "left", "Bergen"],
    [Entity(0, 2, "Peop"), Entity(3, 4, "Loc")],
    [Relation("Live_In", 0, 1)],
)


def with_types(peop: str, loc: str, relation: str = "Live_In") -> Sentence:
    entities = [Entity(0, 2, peop), Entity(3, 4, loc)]
    return SENTENCE.annotated(entities, [Relation(relation, 0, 1)])


def test_the_two_most_frequent_come_first_of_entities_and_relations_alike() -> None:
    predicted = [
        with_types("Org", "Org"),
        with_types("Org", "Loc", "Born_In"),
        with_types("Org", "Org", "Born_In"),
    ]
    worst = worst_confusions([SENTENCE] * 3, predicted)
    assert worst == (Confusion("entities", "Peop", "Org", 3), Confusion("entities", "Loc", "Org", 2))
    worst = worst_confusions([SENTENCE] * 2, predicted[1:])
    assert worst == (Confusion("entities", "Peop", "Org", 2), Confusion("relations", "Live_In", "Born_In", 2))


def test_what_is_missing_or_spurious_is_no_confusion() -> None:
    nothing = SENTENCE.annotated([])
    assert worst_confusions([SENTENCE], [nothing]) == worst_confusions([nothing], [SENTENCE]) == ()


@given(predicted_corpora())
def test_the_scores_are_those_without_confusions(corpora) -> None:
    assert score_with_confusions(*corpora).scores == score(*corpora).scores
