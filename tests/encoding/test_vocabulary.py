"""The vocabulary against plain counting, there and back through JSON, and what is no vocabulary."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.encoding.normalisation import Normalisation, character_form, word_form
from biaffinity.encoding.vocabulary import UNKNOWN, WORD_END, WORD_START, Vocabulary
from biaffinity.errors import DataError
from strategies import corpora

NORMALISATIONS = st.sampled_from(["lower", "paper"])
TRAIN = [
    Sentence(
        ["Ada", "left", "Quell", "in", "1987"],
        [Entity(0, 1, "Peop"), Entity(2, 3, "Loc"), Entity(4, 5, "Other")],
        [Relation("Live_In", 0, 1)],
    ),
    Sentence(["ada", "left", "1994"]),
]


@given(corpora(), NORMALISATIONS)
def test_words_are_counted_and_ranked_by_count_then_by_name(
    train: list[Sentence], normalisation: Normalisation
) -> None:
    vocabulary = Vocabulary.build(train, normalisation)
    counts = Counter(word_form(token, normalisation) for sentence in train for token in sentence.tokens)
    assert dict(zip(vocabulary.words, vocabulary.counts, strict=True)) == counts
    ranked = [(-counts[word], word) for word in vocabulary.words]
    assert ranked == sorted(ranked)


@given(corpora(), NORMALISATIONS)
def test_names_are_those_that_occur_in_order_and_once(
    train: list[Sentence], normalisation: Normalisation
) -> None:
    vocabulary = Vocabulary.build(train, normalisation)
    characters = {
        c for sentence in train for token in sentence.tokens for c in character_form(token, normalisation)
    }
    assert list(vocabulary.characters) == sorted(characters)
    assert list(vocabulary.entity_types) == sorted({e.type for s in train for e in s.entities})
    assert list(vocabulary.relation_types) == sorted({r.type for s in train for r in s.relations})
    pairs = {(s.entities[r.head].type, s.entities[r.tail].type) for s in train for r in s.relations}
    assert list(vocabulary.pairs) == sorted(pairs)


@given(corpora(), NORMALISATIONS)
def test_it_comes_back_from_json(train: list[Sentence], normalisation: Normalisation) -> None:
    vocabulary = replace(Vocabulary.build(train, normalisation), unseen=["zephyr", "łan"])
    again = Vocabulary.from_dict(json.loads(json.dumps(vocabulary.to_dict())))
    assert again == vocabulary
    assert again.word("łan") == vocabulary.word("łan")


def test_words_are_numbered_after_padding_and_the_unknown_word() -> None:
    vocabulary = Vocabulary.build(TRAIN, "lower")
    assert [vocabulary.word(word) for word in vocabulary.words] == list(range(2, 2 + len(vocabulary.words)))
    assert vocabulary.trained == 2 + len(vocabulary.words)


def test_a_word_never_met_is_the_unknown_word() -> None:
    assert Vocabulary.build(TRAIN, "lower").word("zephyr") == UNKNOWN


def test_unseen_words_are_numbered_after_the_trained_ones() -> None:
    vocabulary = replace(Vocabulary.build(TRAIN, "lower"), unseen=["zephyr", "bora"])
    assert vocabulary.word("zephyr") == vocabulary.trained
    assert vocabulary.word("bora") == vocabulary.trained + 1
    assert vocabulary.word("mistral") == UNKNOWN


def test_a_word_is_spelt_between_frames_and_unknown_characters_are_marked() -> None:
    vocabulary = Vocabulary.build([Sentence(["ab"])], "lower")
    assert vocabulary.spell("bżba") == [WORD_START, 5, UNKNOWN, 5, 4, WORD_END]
    assert vocabulary.spell("") == [WORD_START, WORD_END]


def test_the_paper_s_numbers_are_one_word_and_one_character() -> None:
    vocabulary = Vocabulary.build(TRAIN, "paper")
    assert dict(zip(vocabulary.words, vocabulary.counts, strict=True))["NUM"] == 2
    assert not set("0123456789") & set(vocabulary.characters)


def test_more_sentences_give_words_and_nothing_else() -> None:
    dev = [
        Sentence(
            ["Ada", "met", "Øre", "Żuk"],
            [Entity(0, 1, "Peop"), Entity(2, 3, "Org"), Entity(3, 4, "Animal")],
            [Relation("Work_For", 0, 1)],
        )
    ]
    alone, both = Vocabulary.build(TRAIN, "lower"), Vocabulary.build(TRAIN, "lower", dev)
    assert set(both.words) == {*alone.words, "met", "øre", "żuk"}
    assert dict(zip(both.words, both.counts, strict=True))["ada"] == 3
    assert replace(both, words=alone.words, counts=alone.counts) == alone


DAMAGE: dict[str, Any] = {
    "words missing": {"words": ...},
    "pairs missing": {"pairs": ...},
    "counts missing": {"counts": ...},
    "a key too many": {"colour": "red"},
    "words a string": {"words": "abc"},
    "words a number": {"words": 3},
    "words of numbers": {"words": [1, 2, 3, 4, 5, 6]},
    "a word twice": {"words": ["a", "a", "b", "c", "d", "e"]},
    "fewer counts than words": {"counts": [1]},
    "counts of words": {"counts": ["one"] * 6},
    "counts below zero": {"counts": [-1] * 6},
    "no list of types": {"entity_types": None},
    "a type twice": {"entity_types": ["Loc", "Loc", "Other", "Peop"]},
    "relations a number": {"relation_types": 5},
    "pairs a number": {"pairs": 5},
    "a pair of three": {"pairs": [["Peop", "Loc", "Loc"]]},
    "a pair of one": {"pairs": ["P"]},
    "a pair of an unknown type": {"pairs": [["Peop", "Ship"]]},
    "a pair of lists": {"pairs": [[["Peop"], "Loc"]]},
    "unseen an object": {"unseen": {"a": 1}},
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_what_is_no_vocabulary_is_an_error(damage: dict[str, Any]) -> None:
    record = {**Vocabulary.build(TRAIN, "lower").to_dict(), **damage}
    record = {key: value for key, value in record.items() if value is not ...}
    with pytest.raises(DataError) as caught:
        Vocabulary.from_dict(record)
    key = next(iter(damage))
    assert key in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_empty_object_is_no_vocabulary() -> None:
    with pytest.raises(DataError, match="not a vocabulary"):
        Vocabulary.from_dict({})
