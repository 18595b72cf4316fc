"""Words as numbers of characters, and each distinct form of a batch once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.encoders.spelling import (
    LONGEST_END,
    UNKNOWN,
    WORD_END,
    WORD_START,
    Alphabet,
    Spellings,
    ends,
    grown,
)

ALPHABET = Alphabet(["a", "b", "é"])
LONGEST = 2 * LONGEST_END

words = st.one_of(st.text("abéx", max_size=5), st.text(max_size=3 * LONGEST))


def spelt_back(spellings: Spellings, forms: Sequence[int]) -> list[list[int]]:
    """The spelling of each token of a batch."""
    characters, lengths, index = spellings.collate(np.array(forms))
    return [characters[place, : lengths[place]].tolist() for place in index]


def test_a_word_is_its_characters_between_the_frames() -> None:
    assert ALPHABET.spell("béa") == [WORD_START, 5, 6, 4, WORD_END]


def test_a_character_that_was_never_met_is_the_unknown_one() -> None:
    assert ALPHABET.spell("ax") == [WORD_START, 4, UNKNOWN, WORD_END]


def test_no_word_at_all_has_its_frames() -> None:
    assert ALPHABET.spell("") == [WORD_START, WORD_END]


def test_every_number_is_one_of_the_symbols() -> None:
    assert ALPHABET.symbols == 7
    assert max(ALPHABET.spell("abéx")) == ALPHABET.symbols - 1


@pytest.mark.parametrize("length", [0, 1, LONGEST - 1, LONGEST])
def test_a_word_that_is_not_too_long_is_read_whole(length: int) -> None:
    word = "".join(chr(97 + number % 26) for number in range(length))
    assert ends(word) == word


@pytest.mark.parametrize("length", [LONGEST + 1, 5000])
def test_of_a_very_long_word_the_ends_are_read(length: int) -> None:
    word = "".join(chr(256 + number) for number in range(length))
    assert ends(word) == word[:LONGEST_END] + word[-LONGEST_END:]
    assert len(ALPHABET.spell(word)) == LONGEST + 2


@given(st.lists(words, min_size=1, max_size=12))
def test_every_token_is_spelt_as_the_alphabet_spells_it(tokens: list[str]) -> None:
    spellings = Spellings(ALPHABET)
    forms = [spellings.meet(token) for token in tokens]
    assert spelt_back(spellings, forms) == [ALPHABET.spell(token) for token in tokens]


@given(st.lists(words, min_size=1, max_size=12))
def test_each_distinct_form_is_given_once_and_the_shortest_first(tokens: list[str]) -> None:
    spellings = Spellings(ALPHABET)
    spellings.meet("met before")
    characters, lengths, _ = spellings.collate(np.array([spellings.meet(token) for token in tokens]))
    assert len(characters) == len(lengths) == len({ends(token) for token in tokens})
    assert lengths.tolist() == sorted(lengths.tolist())
    assert characters.shape[1] == lengths[-1]
    assert not characters[np.arange(characters.shape[1]) >= lengths[:, None]].any()


def test_a_form_has_one_number_however_often_it_is_met() -> None:
    spellings = Spellings(ALPHABET)
    assert [spellings.meet(form) for form in ("a", "b", "a", "ab", "b")] == [0, 1, 0, 2, 1]


def test_very_long_words_of_the_same_ends_are_one_form() -> None:
    spellings = Spellings(ALPHABET)
    assert spellings.meet("a" * 5000) == spellings.meet("a" * 7000)


def test_more_forms_than_there_was_room_for_keep_their_spelling() -> None:
    spellings = Spellings(Alphabet("0123456789"))
    forms = [spellings.meet(str(number)) for number in range(3000)]
    spelt = spelt_back(spellings, forms)
    assert spelt == [[WORD_START, *(4 + int(digit) for digit in str(n)), WORD_END] for n in range(3000)]


def test_a_table_grows_only_for_a_row_that_it_has_not_got() -> None:
    table = np.arange(6).reshape(3, 2)
    assert grown(table, 2) is table
    larger = grown(table, 3)
    assert larger.shape == (6, 2)
    np.testing.assert_array_equal(larger[:3], table)
    assert not larger[3:].any()
