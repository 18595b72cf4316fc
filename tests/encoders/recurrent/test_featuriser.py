"""Arrays of tokens against arrays put together token by token, and what is remembered of them."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.encoders.normalisation import Normalisation, character_form, word_form
from biaffinity.encoders.recurrent import featuriser as module
from biaffinity.encoders.recurrent.featuriser import RecurrentFeaturiser, read_vocabulary
from biaffinity.encoders.recurrent.settings import RecurrentSettings
from biaffinity.encoders.recurrent.vocabulary import Vocabulary
from biaffinity.encoders.spelling import LONGEST_END
from biaffinity.errors import DataError
from strategies import corpora

VOCABULARY = Vocabulary(
    words=["works", "in", "anna"],
    counts=[3, 2, 1],
    characters=sorted("Anworksi"),
    word_size=5,
    unseen=["acme"],
)
#: The initial room for tokens.
ROOM = 1024
Read = list[list[tuple[int, tuple[int, ...]]]]


def featuriser(normalisation: Normalisation = "lower") -> RecurrentFeaturiser:
    return RecurrentFeaturiser(RecurrentSettings(normalisation=normalisation), VOCABULARY)


def features_of(
    parts: Sequence[Sequence[str]], reader: RecurrentFeaturiser | None = None
) -> Mapping[str, np.ndarray[Any, Any]]:
    reader = reader or featuriser()
    return reader.collate([reader.featurise(tokens) for tokens in parts])


def read_back(features: Mapping[str, np.ndarray[Any, Any]], lengths: Sequence[int]) -> Read:
    """The word number and the spelling of every token."""
    characters, sizes = features["characters"], features["character_lengths"]
    spellings = [tuple(row[:size]) for row, size in zip(characters.tolist(), sizes.tolist(), strict=True)]
    return [
        [(word, spellings[form]) for word, form in zip(words[:length], forms[:length], strict=True)]
        for words, forms, length in zip(
            features["words"].tolist(), features["form_index"].tolist(), lengths, strict=True
        )
    ]


def expected(parts: Sequence[Sequence[str]], normalisation: Normalisation = "lower") -> Read:
    """The same straight from the vocabulary."""
    return [
        [
            (
                VOCABULARY.word(word_form(token, normalisation)),
                tuple(VOCABULARY.alphabet.spell(character_form(token, normalisation))),
            )
            for token in tokens
        ]
        for tokens in parts
    ]


def some() -> st.SearchStrategy[list[list[str]]]:
    """The tokens of a few sentences."""
    return corpora().filter(len).map(lambda parts: [list(sentence.tokens) for sentence in parts])


@given(some(), st.sampled_from(["lower", "paper"]))
def test_every_token_has_its_word_and_its_characters(
    parts: list[list[str]], normalisation: Normalisation
) -> None:
    features = features_of(parts, featuriser(normalisation))
    assert read_back(features, [len(tokens) for tokens in parts]) == expected(parts, normalisation)


@given(some())
def test_padding_is_zero(parts: list[list[str]]) -> None:
    features = features_of(parts)
    size = max(map(len, parts))
    assert features["words"].shape == features["form_index"].shape == (len(parts), size)
    for row, tokens in enumerate(parts):
        assert not features["words"][row, len(tokens) :].any()
        assert not features["form_index"][row, len(tokens) :].any()
    inside = np.arange(features["characters"].shape[1]) < features["character_lengths"][:, None]
    assert not features["characters"][~inside].any()


@given(some(), st.sampled_from(["lower", "paper"]))
def test_each_distinct_form_of_a_batch_is_read_once(
    parts: list[list[str]], normalisation: Normalisation
) -> None:
    reader = featuriser(normalisation)
    reader.featurise(["other", "words", "met", "before"])
    features = features_of(parts, reader)
    forms = {character_form(token, normalisation) for tokens in parts for token in tokens}
    assert len(features["characters"]) == len(features["character_lengths"]) == len(forms)
    assert features["characters"].shape[1] == 2 + max(map(len, forms))


@given(some())
def test_forms_come_shortest_first(parts: list[list[str]]) -> None:
    lengths = features_of(parts)["character_lengths"].tolist()
    assert lengths == sorted(lengths)


def test_all_arrays_are_whole_numbers_of_64_bits() -> None:
    assert {array.dtype for array in features_of([["Anna", "works"], ["in"]]).values()} == {
        np.dtype(np.int64)
    }


def test_a_token_met_before_is_not_worked_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = featuriser()
    before = features_of([["Anna", "works", "Anna"]], reader)
    assert reader.remembered == 2

    def never(*_: object) -> str:
        raise AssertionError("worked out again")

    monkeypatch.setattr(module, "word_form", never)
    monkeypatch.setattr(module, "character_form", never)
    again = features_of([["Anna", "works", "Anna"]], reader)
    assert reader.remembered == 2
    for name, array in before.items():
        np.testing.assert_array_equal(again[name], array)


def test_what_was_met_before_changes_no_number() -> None:
    reader = featuriser()
    reader.featurise(["Zebra", "in", "Anna", "Łódź"])
    parts = [["Anna", "Lee", "in"], ["Łódź"]]
    assert read_back(features_of(parts, reader), [3, 1]) == expected(parts)


@pytest.mark.parametrize("size", [ROOM, ROOM + 1, 5 * ROOM])
def test_more_tokens_than_there_was_room_for_have_the_same_numbers(size: int) -> None:
    reader = featuriser()
    tokens = [("in", "Anna", "acme", "x")[number % 4] * (number % 3) + str(number) for number in range(size)]
    parts = [["works", "Anna"], tokens, ["Anna", "acme", *tokens[::7]]]
    lengths = [len(part) for part in parts]
    grown = features_of(parts, reader)
    assert reader.remembered == size + 3
    assert read_back(grown, lengths) == expected(parts)
    fresh = features_of(parts, featuriser())
    for name, array in grown.items():
        np.testing.assert_array_equal(fresh[name], array)


def test_growth_one_token_at_a_time_keeps_what_was_met() -> None:
    reader = featuriser()
    singles = [[("in", "works", "anna")[number % 3] if number < 3 else str(number)] for number in range(1500)]
    featurised = [reader.featurise(tokens) for tokens in singles]
    again = [reader.featurise(tokens) for tokens in singles]
    for met in (featurised, again):
        assert read_back(reader.collate(met), [1] * len(met)) == expected(singles)


def test_threads_may_collate_while_another_featurises() -> None:
    reader, lock = featuriser(), threading.Lock()
    random = np.random.default_rng(0)
    parts = [[f"{'Anna' * (n % 3)}{n % 700}" for n in random.integers(0, 9000, 40)] for _ in range(120)]

    def work(tokens: list[str]) -> Read:
        with lock:
            featurised = [reader.featurise(tokens), reader.featurise(tokens[:3])]
        return read_back(reader.collate(featurised), [len(tokens), 3])

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(work, parts))
    assert reader.remembered > ROOM
    for tokens, read in zip(parts, found, strict=True):
        assert read == expected([tokens, tokens[:3]])


def test_a_monstrous_token_is_encoded_but_not_kept() -> None:
    reader = featuriser()
    features = features_of([["Anna", "A" * 5000, "A" * 7000, "works"]], reader)
    assert features["characters"].shape == (3, 2 + 2 * LONGEST_END)  # both monsters have the same ends
    assert features["form_index"][0, 1] == features["form_index"][0, 2]
    kept = [*reader._tokens, *reader._spellings._forms]
    assert max(map(len, kept)) == 2 * LONGEST_END


@pytest.mark.parametrize(("length", "kept"), [(2 * LONGEST_END, True), (2 * LONGEST_END + 1, False)])
def test_a_token_is_kept_if_all_of_it_is_read(length: int, kept: bool) -> None:
    reader = featuriser()
    reader.featurise(["A" * length])
    assert ("A" * length in reader._tokens) is kept


def test_a_monstrous_token_has_the_same_numbers_each_time() -> None:
    reader = featuriser()
    parts = [["Anna", "w" * 500], ["w" * 500, "in"]]
    for _ in range(2):
        assert read_back(features_of(parts, reader), [2, 2]) == expected(parts)


def test_monstrous_tokens_count_as_remembered() -> None:
    reader = featuriser()
    reader.featurise([f"{number:06}" + "x" * 100 for number in range(50)])
    assert reader.remembered == 50


def test_any_text_is_a_token() -> None:
    strange = ["é", "\ud800", "\x00", "", " ", "👩‍👩‍👧"]
    assert read_back(features_of([strange]), [6]) == expected([strange])


def test_the_vocabulary_of_a_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "vocabulary.json").write_text(json.dumps(VOCABULARY.to_dict()), encoding="utf-8")
    assert read_vocabulary(tmp_path) == VOCABULARY


def test_a_damaged_vocabulary_is_named_with_its_fault(tmp_path: Path) -> None:
    path = tmp_path / "vocabulary.json"
    path.write_text(json.dumps({**VOCABULARY.to_dict(), "counts": [1]}), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_vocabulary(tmp_path)
    assert str(caught.value).startswith(f"{path}: counts: must be")
