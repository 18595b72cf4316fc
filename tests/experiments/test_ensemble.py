from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.errors import UsageError
from biaffinity.experiments.ensemble import vote

TOKENS = ["Ida", "Moor", "left", "Solund", "."]
IDA, MOOR, SOLUND = (0, 2, "Peop"), (1, 2, "Peop"), (3, 4, "Loc")


def seen(*spans: tuple[int, int, str], score: float = 1.0, relation: float | None = None) -> Sentence:
    relations = [] if relation is None else [Relation("Live_In", 0, 1, relation)]
    return Sentence(TOKENS, [Entity(*span, score) for span in spans], relations, id="s")


def test_what_most_see_stays_and_what_few_see_goes() -> None:
    result = vote([seen(IDA, SOLUND), seen(IDA), seen(MOOR)])
    assert [(e.start, e.end, e.type) for e in result.entities] == [IDA]
    assert result.entities[0].score == pytest.approx(2 / 3)
    assert result.id == "s"


def test_of_two_that_overlap_the_heavier_stays() -> None:
    result = vote([seen(IDA, score=0.9), seen(MOOR, score=0.8)], entities=0.3)
    assert [(e.start, e.end, e.type) for e in result.entities] == [IDA]


def test_a_relation_weighs_the_mean_of_its_scores() -> None:
    votes = [seen(IDA, SOLUND, relation=0.9), seen(IDA, SOLUND, relation=0.5), seen(IDA, SOLUND)]
    (relation,) = vote(votes, relations=0.4).relations
    assert relation.score == pytest.approx(1.4 / 3)
    assert not vote(votes, relations=0.5).relations


def test_a_relation_goes_with_its_entity() -> None:
    votes = [seen(IDA, SOLUND, relation=1.0), seen(IDA), seen(IDA)]
    assert not vote(votes, relations=0.1).relations


@given(st.floats(0.01, 1.0), st.floats(0.01, 1.0))
def test_copies_of_one_model_agree_with_it(entity: float, relation: float) -> None:
    one = seen(IDA, SOLUND, score=entity, relation=relation)
    result = vote([one] * 3, entities=0.0, relations=0.0)
    assert [(e.start, e.end, e.type) for e in result.entities] == [IDA, SOLUND]
    assert result.entities[1].score == pytest.approx(entity)
    assert result.relations[0].score == pytest.approx(relation)


def test_votes_on_different_sentences_are_refused() -> None:
    with pytest.raises(UsageError, match="same sentence"):
        vote([seen(IDA), Sentence(["other"])])


def test_votes_without_scores_are_refused() -> None:
    with pytest.raises(UsageError, match="needs scores"):
        vote([Sentence(TOKENS, [Entity(*IDA)])])
