"""Scores on partly annotated gold: nothing counts that nobody judged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from biaffinity.annotation import Entity, Judged, Relation, Sentence
from biaffinity.scoring import score
from biaffinity.scoring.calibration import judge as judge_scores
from biaffinity.scoring.mistakes import Kind, judge

#: Ada Lee of Quell met Bo Orr in Oslo .
TOKENS = ["Ada", "Lee", "of", "Quell", "met", "Bo", "Orr", "in", "Oslo", "."]
ADA, QUELL, BO, OSLO = Entity(0, 2, "Peop"), Entity(3, 4, "Loc"), Entity(5, 7, "Peop"), Entity(8, 9, "Loc")
GOLD = Sentence(TOKENS, [ADA, QUELL], [Relation("Live_In", 0, 1)])
ALL = [ADA, QUELL, BO, OSLO]


def counts(judged: Judged | None, found: Sentence, *cell: str) -> tuple[int, int, int]:
    one = score([replace(GOLD, judged=judged)], [found])[cell]
    return one.gold, one.predicted, one.correct


@pytest.mark.parametrize(
    ("tokens", "predicted"),
    [(None, 4), ([], 2), ([(4, 6)], 3), ([(0, 10)], 4), ([(9, 10)], 2)],
    ids=["all judged", "entities only", "a token of Bo Orr", "all, said so", "the full stop"],
)
def test_entities_count_where_a_token_was_judged(
    tokens: list[tuple[int, int]] | None, predicted: int
) -> None:
    found = GOLD.annotated(ALL)
    assert counts(Judged(tokens=tokens), found, "ner", "micro") == (2, predicted, 2)
    assert counts(Judged(tokens=tokens), found, "ec", "micro") == (2, predicted, 2)


def test_an_entity_that_runs_into_a_marked_one_is_wrong() -> None:
    found = GOLD.annotated([ADA, Entity(2, 4, "Loc")])
    assert counts(Judged(tokens=[]), found, "ner", "micro") == (2, 2, 1)


@pytest.mark.parametrize(
    ("relations", "counted"),
    [(None, 3), (["Live_In"], 2), (["Kill"], 2), ([], 1)],
)
def test_relations_count_if_their_type_was_judged_or_gold_has_them(
    relations: list[str] | None, counted: int
) -> None:
    links = [Relation("Live_In", 0, 1), Relation("Live_In", 2, 3), Relation("Kill", 0, 2)]
    found = GOLD.annotated(ALL, links)
    # Nobody judged Bo Orr and Oslo as entities: had they been related, they would be marked.
    judged = Judged(tokens=[], relations=relations)
    for cell in (("re", "strict", "micro"), ("re", "boundaries", "micro")):
        assert counts(judged, found, *cell) == (1, counted, 1)


def test_an_undecided_relation_counts_for_nothing_even_between_other_boundaries() -> None:
    judged = Judged(undecided=[("Live_In", 1, 0)])
    for spans in ([ADA, QUELL], [Entity(1, 2, "Peop"), QUELL]):
        found = GOLD.annotated(spans, [Relation("Live_In", 1, 0), Relation("Kill", 1, 0)])
        assert counts(judged, found, "re", "strict", "micro") == (1, 1, 0)


def test_mistakes_and_calibration_pass_over_the_same() -> None:
    gold = replace(GOLD, judged=Judged(tokens=[], relations=["Live_In"]))
    entities = [replace(entity, score=0.9) for entity in ALL]
    links = [Relation("Live_In", 0, 1, 0.8), Relation("Live_In", 2, 3, 0.7), Relation("Kill", 0, 2, 0.6)]
    found = GOLD.annotated(entities, links)
    verdicts = judge(gold, found)
    assert [v.kind for v in verdicts.entities] == [Kind.CORRECT, Kind.CORRECT]
    assert [v.kind for v in verdicts.relations] == [Kind.CORRECT, Kind.SPURIOUS]
    scores = judge_scores([gold], [found])
    assert scores.entities == [(0.9, True), (0.9, True)]
    assert scores.relations == [(0.8, True), (0.7, False)]
