"""The vocabulary against plain counting, there and back through JSON, and what is no vocabulary."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.annotation import Sentence
from biaffinity.encoders.normalisation import Normalisation, character_form, word_form
from biaffinity.encoders.recurrent.vocabulary import UNKNOWN, Vocabulary
from biaffinity.encoders.spelling import LONGEST_END, WORD_END, WORD_START, ends
from biaffinity.errors import DataError
from strategies import corpora

NORMALISATIONS = st.sampled_from(["lower", "paper"])
TRAIN = [Sentence(["Ada", "left", "Quell", "in", "1987"]), Sentence(["ada", "left", "1994"])]


def built(
    train: Sequence[Sentence], normalisation: Normalisation = "lower", more: Sequence[Sentence] = ()
) -> Vocabulary:
    return Vocabulary.build(train, normalisation, more, word_size=7)


@given(corpora(), NORMALISATIONS)
def test_words_are_counted_and_ranked_by_count_then_by_name(
    train: list[Sentence], normalisation: Normalisation
) -> None:
    vocabulary = built(train, normalisation)
    counts = Counter(word_form(token, normalisation) for sentence in train for token in sentence.tokens)
    assert dict(zip(vocabulary.words, vocabulary.counts, strict=True)) == counts
    ranked = [(-counts[word], word) for word in vocabulary.words]
    assert ranked == sorted(ranked)


@given(corpora(), NORMALISATIONS)
def test_characters_are_those_that_occur_in_order_and_once(
    train: list[Sentence], normalisation: Normalisation
) -> None:
    vocabulary = built(train, normalisation)
    characters = {
        c for sentence in train for token in sentence.tokens for c in character_form(token, normalisation)
    }
    assert list(vocabulary.characters) == sorted(characters)


@given(corpora(), NORMALISATIONS)
def test_it_comes_back_from_json(train: list[Sentence], normalisation: Normalisation) -> None:
    vocabulary = built(train, normalisation).with_unseen(["zephyr", "łan"])
    again = Vocabulary.from_dict(json.loads(json.dumps(vocabulary.to_dict())))
    assert again == vocabulary
    assert again.word("łan") == vocabulary.word("łan")


def test_words_are_numbered_after_padding_and_the_unknown_word() -> None:
    vocabulary = built(TRAIN)
    assert [vocabulary.word(word) for word in vocabulary.words] == list(range(2, 2 + len(vocabulary.words)))
    assert vocabulary.trained == 2 + len(vocabulary.words)


def test_a_word_never_met_is_the_unknown_word() -> None:
    assert built(TRAIN).word("zephyr") == UNKNOWN


def test_unseen_words_are_numbered_after_the_trained_ones() -> None:
    vocabulary = built(TRAIN).with_unseen(["zephyr", "bora"])
    assert vocabulary.word("zephyr") == vocabulary.trained
    assert vocabulary.word("bora") == vocabulary.trained + 1
    assert vocabulary.word("mistral") == UNKNOWN


def test_a_word_is_spelt_between_frames_and_unknown_characters_are_marked() -> None:
    vocabulary = built([Sentence(["ab"])])
    assert vocabulary.alphabet.spell("bżba") == [WORD_START, 5, UNKNOWN, 5, 4, WORD_END]
    assert vocabulary.alphabet.spell("") == [WORD_START, WORD_END]


def test_the_paper_s_numbers_are_one_word_and_one_character() -> None:
    vocabulary = built(TRAIN, "paper")
    assert dict(zip(vocabulary.words, vocabulary.counts, strict=True))["NUM"] == 2
    assert not set("0123456789") & set(vocabulary.characters)


def test_more_sentences_give_words_and_nothing_else() -> None:
    dev = [Sentence(["Ada", "met", "Øre", "Żuk"])]
    alone, both = built(TRAIN), built(TRAIN, more=dev)
    assert set(both.words) == {*alone.words, "met", "øre", "żuk"}
    assert dict(zip(both.words, both.counts, strict=True))["ada"] == 3
    assert replace(both, words=alone.words, counts=alone.counts) == alone


DAMAGE: dict[str, Any] = {
    "words missing": {"words": ...},
    "counts missing": {"counts": ...},
    "a key too many": {"colour": "red"},
    "words a string": {"words": "abc"},
    "words a number": {"words": 3},
    "words of numbers": {"words": [1, 2, 3, 4, 5, 6]},
    "a word twice": {"words": ["a", "a", "b", "c", "d", "e"]},
    "fewer counts than words": {"counts": [1]},
    "counts of words": {"counts": ["one"] * 6},
    "counts below zero": {"counts": [-1] * 6},
    "characters missing": {"characters": ...},
    "a character twice": {"characters": ["a", "a"]},
    "unseen an object": {"unseen": {"a": 1}},
    "an unseen word twice": {"unseen": ["a", "a"]},
    "width missing": {"word_size": ...},
    "width zero": {"word_size": 0},
    "width a truth": {"word_size": True},
    "width a fraction": {"word_size": 2.5},
    "counts of truths": {"counts": [True] * 6},
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_what_is_no_vocabulary_is_an_error(damage: dict[str, Any]) -> None:
    record = {**built(TRAIN).to_dict(), **damage}
    record = {key: value for key, value in record.items() if value is not ...}
    with pytest.raises(DataError) as caught:
        Vocabulary.from_dict(record)
    key = next(iter(damage))
    assert key in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_empty_object_is_no_vocabulary() -> None:
    with pytest.raises(DataError, match="not a vocabulary"):
        Vocabulary.from_dict({})


def test_characters_are_numbered_after_padding_the_unknown_one_and_the_frames() -> None:
    vocabulary = built([Sentence(["ba"])])
    assert vocabulary.alphabet.spell("ab") == [WORD_START, 4, 5, WORD_END]
    assert vocabulary.alphabet.symbols == 6


def test_of_a_very_long_word_the_ends_are_spelt() -> None:
    vocabulary = built([Sentence(["abc"])])
    spelt = vocabulary.alphabet.spell("a" * 40 + "c" * 9000 + "b" * 40)
    assert spelt == [WORD_START, *[4] * LONGEST_END, *[5] * LONGEST_END, WORD_END]


@pytest.mark.parametrize(("length", "read"), [(2 * LONGEST_END, 64), (2 * LONGEST_END + 1, 64), (5, 5)])
def test_a_word_is_cut_only_if_it_is_longer_than_its_ends(length: int, read: int) -> None:
    assert len(ends("x" * length)) == read
