from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.corpus.profile import EXAMPLES, SplitProfile
from strategies import corpora


def profile_of(*sentences: Sentence) -> SplitProfile:
    profile = SplitProfile("train")
    for sentence in sentences:
        profile.add(sentence)
    return profile


def noted(profile: SplitProfile, kind: str) -> list[str]:
    finding = profile.noted.findings.get(kind)
    return finding.examples if finding else []


def test_sentences_tokens_entities_and_relations_are_counted() -> None:
    profile = profile_of(
        Sentence(
            ["Anna", "of", "Oslo"],
            [Entity(0, 1, "Peop"), Entity(2, 3, "Loc")],
            [Relation("Live_In", 0, 1), Relation("Work_For", 0, 1)],
        ),
        Sentence(["Bo"], [Entity(0, 1, "Peop")]),
        Sentence(["He", "left"]),
    )
    assert (profile.sentences, profile.tokens, profile.entities, profile.relations) == (3, 6, 3, 2)
    assert profile.entity_types == {"Peop": 2, "Loc": 1}
    assert profile.relation_types == {"Live_In": 1, "Work_For": 1}
    assert profile.pairs == {("Peop", "Live_In", "Loc"): 1, ("Peop", "Work_For", "Loc"): 1}
    assert (profile.without_entity, profile.single_entity, profile.without_relation) == (1, 1, 2)


def test_the_direction_of_a_type_pair_counts() -> None:
    entities = [Entity(0, 1, "Peop"), Entity(1, 2, "Loc")]
    profile = profile_of(Sentence(["a", "b"], entities, [Relation("R", 0, 1), Relation("R", 1, 0)]))
    assert profile.pairs == {("Peop", "R", "Loc"): 1, ("Loc", "R", "Peop"): 1}


def test_an_empty_split_has_nothing() -> None:
    record = SplitProfile("train").to_dict()
    assert record["sentences"] == 0
    assert record["lengths"] == {"min": 0, "median": 0, "p95": 0, "max": 0, "longest": []}


@given(st.lists(st.integers(1, 8), min_size=1, max_size=40), st.sampled_from([0.25, 0.5, 0.95, 1.0]))
def test_a_length_at_a_share_is_the_nearest_rank(lengths: list[int], share: float) -> None:
    profile = profile_of(*(Sentence(["x"] * length) for length in lengths))
    assert profile.length_at(share) == sorted(lengths)[math.ceil(share * len(lengths)) - 1]


def test_the_longest_sentences_are_named_longest_first_and_earlier_first() -> None:
    lengths = [3, 9, 1, 9, 2, 5, 7]
    profile = profile_of(*(Sentence(["x"] * n, id=f"s{i}") for i, n in enumerate(lengths)))
    assert profile.to_dict()["lengths"]["longest"] == [
        {"id": "s1", "tokens": 9},
        {"id": "s3", "tokens": 9},
        {"id": "s6", "tokens": 7},
        {"id": "s5", "tokens": 5},
        {"id": "s0", "tokens": 3},
    ]


def test_a_sentence_without_an_id_goes_by_its_number() -> None:
    profile = SplitProfile("train")
    names = [profile.add(Sentence(["a"], id=id)) for id in ("x", "", "")]
    assert names == ["x", "#2", "#3"]
    assert noted(profile, "repeated-id") == []


def test_an_id_that_comes_again_is_noted() -> None:
    profile = profile_of(*(Sentence([word], id=id) for word, id in [("a", "1"), ("b", "2"), ("c", "1")]))
    assert noted(profile, "repeated-id") == ["1"]


def test_a_sentence_without_tokens_is_noted() -> None:
    assert noted(profile_of(Sentence([], id="1")), "no-tokens") == ["1"]


def test_overlapping_entities_are_noted_and_what_a_flat_tagger_loses_is_counted() -> None:
    entities = [Entity(0, 3, "Org"), Entity(2, 3, "Loc"), Entity(2, 5, "Other"), Entity(5, 6, "Peop")]
    relations = [Relation("A", 0, 1), Relation("B", 0, 3), Relation("C", 1, 2)]
    profile = profile_of(Sentence(["x"] * 6, entities, relations, id="1"))
    assert noted(profile, "overlapping-entities") == ["1"]
    assert profile.to_dict()["overlaps"] == {
        "sentences": 1,
        "nested": 2,
        "crossing": 1,
        "same_span": 0,
        "entities_lost_when_flat": 2,
        "relations_lost_when_flat": 2,
    }


def test_one_of_two_types_on_a_span_is_lost_to_a_flat_tagger() -> None:
    profile = profile_of(Sentence(["x"], [Entity(0, 1, "Org"), Entity(0, 1, "Loc")]))
    assert (profile.count("same-span"), profile.entities_lost) == (1, 1)


def test_neighbours_of_one_type_are_noted() -> None:
    tokens = ["Anna", "Lee", "Bo", "Oslo"]
    entities = [Entity(0, 2, "Peop"), Entity(2, 3, "Peop"), Entity(3, 4, "Loc")]
    assert noted(profile_of(Sentence(tokens, entities, id="1")), "adjacent") == ["1: Anna Lee"]


@pytest.mark.parametrize(
    ("start", "end", "is_noted"), [(0, 2, True), (1, 3, True), (0, 3, True), (1, 2, False)]
)
def test_punctuation_at_the_border_of_an_entity_is_noted(start: int, end: int, is_noted: bool) -> None:
    profile = profile_of(Sentence(["(", "Oslo", ")"], [Entity(start, end, "Loc")]))
    assert bool(noted(profile, "punctuation")) == is_noted


def test_punctuation_inside_an_entity_or_a_word_is_fine() -> None:
    profile = profile_of(Sentence(["Dr.", ",", "U.S."], [Entity(0, 3, "Loc")]))
    assert noted(profile, "punctuation") == []


def test_a_pair_with_several_relations_is_noted_once() -> None:
    entities = [Entity(0, 1, "A"), Entity(1, 2, "B")]
    relations = [Relation("R", 0, 1), Relation("S", 0, 1), Relation("T", 0, 1), Relation("R", 1, 0)]
    profile = profile_of(Sentence(["a", "b"], entities, relations, id="1"))
    assert profile.count("several-relations") == 1


def test_damaged_tokens_are_noted_with_their_sentence() -> None:
    assert noted(profile_of(Sentence(["ok", "CafÃ©"], id="1")), "mojibake") == ["1: CafÃ©"]


def test_examples_are_few_and_counts_are_whole() -> None:
    profile = profile_of(*(Sentence(["a b"]) for _ in range(EXAMPLES + 3)))
    assert profile.count("white-space") == EXAMPLES + 3
    assert len(noted(profile, "white-space")) == EXAMPLES


def test_examples_are_short_however_long_the_token() -> None:
    (example,) = noted(profile_of(Sentence(["a b" * 1000], id="1")), "white-space")
    assert len(example) < 100


@given(corpora(), corpora())
def test_splits_merged_count_like_one_split(first: list[Sentence], second: list[Sentence]) -> None:
    merged = SplitProfile.merged("all", [profile_of(*first), profile_of(*second)])
    whole = profile_of(*first, *second)
    for field in (
        "entity_types",
        "relation_types",
        "pairs",
        "lengths",
        "without_entity",
        "single_entity",
        "without_relation",
    ):
        assert getattr(merged, field) == getattr(whole, field)


@given(corpora(max_sentences=8))
def test_counts_are_those_of_the_whole_list(group: list[Sentence]) -> None:
    record = profile_of(*group).to_dict()
    assert record["sentences"] == len(group)
    assert record["tokens"] == sum(map(len, group))
    assert record["entity_types"] == Counter(e.type for s in group for e in s.entities)
    assert record["sentences_without_relation"] == sum(not s.relations for s in group)
    assert sum(pair["count"] for pair in record["type_pairs"]) == record["relations"]
