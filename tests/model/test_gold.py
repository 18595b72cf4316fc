"""Gold arrays against labels and pairs found sentence by sentence."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.decoding.candidates import Pairs, candidates
from biaffinity.decoding.labels import Spans
from biaffinity.decoding.network import Description
from biaffinity.decoding.schema import NO_RELATION, Schema
from biaffinity.model.gold import Classes, Gold, gold_batch, gold_sentence
from strategies import ENTITY_TYPES, sentences

SCHEMA = Schema(
    list(ENTITY_TYPES),
    ["Kill", "Live_In", "Work_For"],
    [("Peop", "Loc"), ("Peop", "Org"), ("Peop", "Peop")],
)
Triple = tuple[int, int, int]


def known(**options: Any) -> Description:
    return Description(SCHEMA, **options)


def gold_of(parts: list[Sentence], description: Description) -> Gold:
    return gold_batch([gold_sentence(sentence, description) for sentence in parts], description)


def triples(pairs: Pairs, classes: Classes) -> list[Triple]:
    return list(zip(pairs.head.tolist(), pairs.tail.tolist(), classes.numbers.tolist(), strict=True))


def rows(spans: Spans) -> list[tuple[int, int, int, str]]:
    columns = (spans.sentence, spans.start, spans.end, spans.type)
    return [
        (s, a, b, ENTITY_TYPES[t])
        for s, a, b, t in zip(*(column.tolist() for column in columns), strict=True)
    ]


def naive_pairs(parts: list[Sentence], spans: Spans, *, all_pairs: bool) -> list[Triple]:
    """The candidates among spans, each with the first relation between entities of its last tokens."""
    found = rows(spans)
    return [
        (head, tail, naive_relation(parts[found[head][0]], found[head][2], found[tail][2]))
        for head, tail in permutations(range(len(found)), 2)
        if found[head][0] == found[tail][0]
        and (all_pairs or (found[head][3], found[tail][3]) in SCHEMA.pairs)
    ]


def naive_relation(sentence: Sentence, head_end: int, tail_end: int) -> int:
    """The first relation in the sentence between flat entities that end so."""
    entities = sentence.entities
    for relation in sentence.relations:
        if (entities[relation.head].end, entities[relation.tail].end) == (head_end, tail_end):
            return 1 + list(SCHEMA.relation_types).index(relation.type)
    return NO_RELATION


@pytest.mark.parametrize("boundaries", ["predicted", "given"])
@given(parts=st.lists(sentences(overlapping=False), min_size=1, max_size=4))
def test_labels_and_spans_are_those_of_each_sentence(boundaries: Any, parts: list[Sentence]) -> None:
    description = known(boundaries=boundaries)
    gold = gold_of(parts, description)
    expected = []
    assert gold.labels.shape == (len(parts), max(map(len, parts)))
    for row, sentence in enumerate(parts):
        n = len(sentence)
        assert gold.labels[row, :n].tolist() == description.labels.encode(n, sentence.entities).tolist()
        assert not gold.labels[row, n:].any()
        expected += [(row, e.start, e.end, e.type) for e in sentence.entities]
    assert rows(gold.spans) == expected


@pytest.mark.parametrize("all_pairs", [False, True])
@given(parts=st.lists(sentences(overlapping=False), min_size=1, max_size=4))
def test_gold_pairs_are_the_candidates_with_the_first_relation_of_each(
    all_pairs: bool, parts: list[Sentence]
) -> None:
    gold = gold_of(parts, known(all_pairs=all_pairs))
    assert triples(gold.pairs, gold.classes) == naive_pairs(parts, gold.spans, all_pairs=all_pairs)


@given(st.lists(sentences(overlapping=False), min_size=1, max_size=3), st.data())
def test_other_spans_get_the_gold_class_where_both_last_tokens_are_gold(
    parts: list[Sentence], data: st.DataObject
) -> None:
    description = known(all_pairs=True)
    found = [
        data.draw(
            sentences(overlapping=False, relations=False, max_tokens=len(gold)).filter(lambda s: s.entities)
        )
        for gold in parts
    ]
    spans = gold_of(found, description).spans
    pairs = candidates(spans, description.related)
    classes = gold_of(parts, description).classes_of(spans, pairs)
    assert triples(pairs, classes) == naive_pairs(parts, spans, all_pairs=True)


@pytest.mark.parametrize(
    ("found", "lives"),
    [
        ([Entity(1, 2, "Org"), Entity(4, 5, "Loc")], True),
        ([Entity(0, 2, "Peop"), Entity(3, 4, "Loc")], False),
    ],
    ids=["wrong start and type", "wrong end"],
)
def test_a_wrong_start_and_type_do_not_lose_the_relation_but_a_wrong_end_does(
    found: list[Entity], lives: bool
) -> None:
    sentence = Sentence(
        ["Ada", "Lee", "left", "Quell", "Bay"],
        [Entity(0, 2, "Peop"), Entity(3, 5, "Loc")],
        [Relation("Live_In", 0, 1)],
    )
    description = known(all_pairs=True)
    other = gold_of([sentence.annotated(found)], description)
    classes = gold_of([sentence], description).classes_of(other.spans, other.pairs)
    assert triples(other.pairs, classes) == [(0, 1, 2 if lives else NO_RELATION), (1, 0, NO_RELATION)]


def test_no_entities_give_no_pairs() -> None:
    gold = gold_of([Sentence(["in"])], known())
    assert len(gold.spans) == len(gold.pairs) == len(gold.classes.numbers) == 0
    assert gold.classes.numbers.dtype == np.int64


def test_of_overlapping_entities_the_outermost_stays_and_relations_of_others_go() -> None:
    sentence = Sentence(
        ["Ada", "of", "Quell", "Works", "in", "Oslo"],
        [Entity(0, 1, "Peop"), Entity(2, 3, "Loc"), Entity(2, 4, "Org"), Entity(5, 6, "Loc")],
        [Relation("Live_In", 0, 1), Relation("Work_For", 0, 2), Relation("Live_In", 0, 3)],
    )
    gold = gold_sentence(sentence, known())
    assert gold.entities == (Entity(0, 1, "Peop"), Entity(2, 4, "Org"), Entity(5, 6, "Loc"))
    assert gold.relations == {(0, 1): (3, 1.0), (0, 2): (2, 1.0)}


def test_of_two_relations_of_a_pair_the_first_stays() -> None:
    entities = [Entity(0, 1, "Peop"), Entity(1, 2, "Peop")]
    sentence = Sentence(["Ada", "Bo"], entities, [Relation("Work_For", 0, 1), Relation("Kill", 0, 1)])
    assert gold_sentence(sentence, known()).relations == {(0, 1): (3, 1.0)}


def test_types_the_model_does_not_know_are_no_labels() -> None:
    entities = [Entity(0, 1, "Ship"), Entity(1, 2, "Peop"), Entity(2, 3, "Loc")]
    relations = [Relation("Kill", 1, 0), Relation("Sails", 1, 2), Relation("Live_In", 1, 2)]
    gold = gold_sentence(Sentence(["Vasa", "Bo", "Oslo"], entities, relations), known())
    assert gold.entities == tuple(entities[1:])
    assert gold.types.tolist() == [3, 0]
    assert gold.relations == {(0, 1): 2}
    assert gold.labels[0] == 0


def test_scores_are_certainties_where_labels_are_soft() -> None:
    sentence = Sentence(
        ["Ada", "Lee", "left", "Oslo"],
        [Entity(0, 2, "Peop", score=0.75), Entity(3, 4, "Loc")],
        [Relation("Live_In", 0, 1, score=0.5)],
    )
    shorter = Sentence(["Oslo"], [Entity(0, 1, "Loc", score=0.25)])
    parts = [gold_sentence(part, known()) for part in (sentence, shorter)]
    soft = gold_batch(parts, known(), soft=True)
    assert soft.certainty is not None
    assert soft.certainty.tolist() == [[0.75, 0.75, 1, 1], [0.25, 1, 1, 1]]
    assert soft.joined.tolist() == [[True, False, False], [False, False, False]]
    assert (soft.classes.numbers.tolist(), soft.classes.certainty.tolist()) == ([2], [0.5])
    assert gold_batch(parts, known()).certainty is None
