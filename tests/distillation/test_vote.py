"""The vote, by cases worked by hand and by what must always hold."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.distillation.vote import mean_scores, vote, vote_on_entities
from strategies import WORDS, annotations

TOKENS = ("Ida", "Moor", "of", "Fjell", "Bank", "lives", "in", "Solund", ".")
PERSON, BANK, TOWN = Entity(0, 2, "Peop", 0.9), Entity(3, 5, "Org", 0.8), Entity(7, 8, "Loc", 0.6)


def read(entities: list[Entity], *relations: Relation) -> Sentence:
    return Sentence(TOKENS, entities, relations)


def agreed(*readings: Sentence, threshold: float = 0.4) -> Sentence:
    return vote(Sentence(TOKENS), readings, threshold)


def test_a_teacher_that_did_not_find_it_counts_nothing() -> None:
    found = agreed(read([PERSON, TOWN]), read([PERSON]))
    assert found.entities == (PERSON,)  # TOWN has 0.3 on average
    assert agreed(read([PERSON, TOWN]), read([PERSON]), threshold=0.3).entities == (
        PERSON,
        Entity(7, 8, "Loc", 0.3),
    )


def test_another_type_is_another_entity() -> None:
    readings = [read([Entity(3, 5, "Org", 0.9)]), read([Entity(3, 5, "Loc", 0.9)]), read([BANK])]
    assert agreed(*readings).entities == (Entity(3, 5, "Org", 0.566667),)


def test_of_entities_that_overlap_the_higher_score_wins() -> None:
    longer, shorter = Entity(0, 5, "Org", 0.5), Entity(3, 5, "Org", 0.9)
    assert agreed(read([longer]), read([shorter]), threshold=0.2).entities == (Entity(3, 5, "Org", 0.45),)


def test_relations_are_voted_by_spans_and_type() -> None:
    works = Relation("Work_For", 0, 1, 0.9)
    first = read([PERSON, BANK], works)
    second = read([BANK, PERSON], Relation("Work_For", 1, 0, 0.5))  # whatever the order of the entities
    assert agreed(first, second).relations == (Relation("Work_For", 0, 1, 0.7),)
    assert agreed(first, read([PERSON, BANK]), threshold=0.5).relations == ()


def test_a_relation_needs_both_its_entities() -> None:
    lives = Relation("Live_In", 0, 1, 0.9)
    weak = Entity(7, 8, "Loc", 0.1)
    found = agreed(read([PERSON, weak], lives))
    assert (found.entities, found.relations) == ((PERSON,), ())


def test_a_pair_has_one_relation() -> None:
    both = (Relation("Kill", 0, 1, 0.6), Relation("Live_In", 0, 1, 0.7))
    assert agreed(read([PERSON, TOWN], *both)).relations == (both[1],)
    backwards = Relation("Kill", 1, 0, 0.6)
    assert agreed(read([PERSON, TOWN], both[1], backwards)).relations == (both[1], backwards)


def test_a_relation_is_not_kept_between_types_that_no_teacher_saw_it_between() -> None:
    lives = Relation("Live_In", 0, 1, 1.0)
    town, firm = Entity(7, 8, "Loc", 0.5), Entity(7, 8, "Org", 0.7)
    readings = [read([PERSON, town], lives), read([PERSON, firm]), read([PERSON, firm])]
    found = agreed(*readings, threshold=0.3)
    assert [entity.type for entity in found.entities] == ["Peop", "Org"]
    assert found.relations == ()


def test_what_has_no_score_was_put_there_by_a_person() -> None:
    given_ = [Entity(0, 2, "Peop"), Entity(7, 8, "Loc")]
    found = agreed(read(given_, Relation("Live_In", 0, 1)), read([]))
    assert [entity.score for entity in found.entities] == [0.5, 0.5]
    assert found.relations[0].score == 0.5


def test_the_sentence_is_the_one_that_was_given() -> None:
    sentence = Sentence(TOKENS, id="d:1", document="d").with_text()
    found = vote(sentence, [read([PERSON])], 0.4)
    assert (found.id, found.document, found.text) == ("d:1", "d", sentence.text)


# What must always hold

scores = st.dictionaries(st.sampled_from("abcd"), st.floats(0, 1), max_size=4)


@given(st.lists(scores, min_size=1, max_size=5))
def test_a_mean_is_over_all_who_looked(found: list[dict[str, float]]) -> None:
    means = mean_scores(found)
    assert means.keys() == {key for own in found for key in own}
    for key, mean in means.items():
        assert mean == pytest.approx(sum(own.get(key, 0) for own in found) / len(found), abs=1e-6)


@st.composite
def readings(draw: st.DrawFn) -> list[Sentence]:
    """A sentence as up to four teachers, whose entities do not overlap, have read it."""
    tokens = draw(st.lists(WORDS, min_size=1, max_size=8))
    count = draw(st.integers(1, 4))
    own = annotations(len(tokens), overlapping=False, scores=True)
    return [Sentence(tokens, *draw(own)) for _ in range(count)]


def mean_of(reading: list[Sentence], key: tuple[int, int, str]) -> float:
    own = [e.score or 0.0 for s in reading for e in s.entities if (e.start, e.end, e.type) == key]
    return sum(own) / len(reading)


@given(readings(), st.floats(0.05, 1))
def test_what_is_kept_was_agreed_on_and_what_was_agreed_on_is_kept_or_overlaps_what_is_surer(
    read: list[Sentence], threshold: float
) -> None:
    kept = vote_on_entities(read, threshold)
    assert not any(one.overlaps(other) for one, other in combinations(kept, 2))
    assert kept == sorted(kept, key=lambda e: e.start)
    for entity in kept:
        assert entity.score is not None
        assert entity.score >= threshold
        assert entity.score == pytest.approx(mean_of(read, (entity.start, entity.end, entity.type)), abs=1e-6)
    keys = {(e.start, e.end, e.type) for e in kept}
    for entity in (e for s in read for e in s.entities):
        mean = mean_of(read, (entity.start, entity.end, entity.type))
        if mean >= threshold + 1e-6 and (entity.start, entity.end, entity.type) not in keys:
            assert any(entity.overlaps(e) and (e.score or 0) >= mean - 1e-6 for e in kept)


@given(readings(), st.floats(0.05, 1))
def test_relations_that_are_kept_were_agreed_on_between_those_types(
    read: list[Sentence], threshold: float
) -> None:
    found = vote(Sentence(read[0].tokens), read, threshold)
    pairs = [(r.head, r.tail) for r in found.relations]
    assert len(set(pairs)) == len(pairs)
    for relation in found.relations:
        head, tail = found.entities[relation.head], found.entities[relation.tail]
        ends = (head.start, head.end), (tail.start, tail.end)
        own = [
            (r.score or 0.0, (s.entities[r.head].type, s.entities[r.tail].type))
            for s in read
            for r in s.relations
            if r.type == relation.type
            and ends == tuple((e.start, e.end) for e in (s.entities[r.head], s.entities[r.tail]))
        ]
        assert relation.score == pytest.approx(math.fsum(score for score, _ in own) / len(read), abs=1e-6)
        assert (relation.score or 0) >= threshold
        assert (head.type, tail.type) in {types for _, types in own}


@given(readings(), st.floats(0.05, 1), st.randoms())
def test_the_order_of_the_teachers_does_not_matter(read: list[Sentence], threshold: float, random) -> None:
    other = list(read)
    random.shuffle(other)
    empty = Sentence(read[0].tokens)
    assert vote(empty, read, threshold) == vote(empty, other, threshold)


@given(readings(), st.integers(2, 4))
def test_teachers_of_one_mind_count_as_one(read: list[Sentence], times: int) -> None:
    alone = vote(Sentence(read[0].tokens), read[:1], 0.4)
    assert vote(Sentence(read[0].tokens), read[:1] * times, 0.4) == alone
    assert len(alone.entities) == sum(round(e.score or 0, 6) >= 0.4 for e in read[0].entities)
