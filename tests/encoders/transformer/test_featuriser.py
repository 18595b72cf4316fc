"""Arrays of pieces against pieces put together sentence by sentence, and what is remembered of them."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra transformers")

from hypothesis import given, settings
from hypothesis import strategies as st

from biaffinity.annotation import Sentence
from biaffinity.encoders.normalisation import character_form
from biaffinity.encoders.spelling import LONGEST_END, Alphabet
from biaffinity.encoders.transformer.featuriser import TransformerFeaturiser, case_of
from biaffinity.encoders.transformer.pieces import LONGEST_WORD, WordPieces, windows
from encoders.transformer import tiny
from strategies import corpora

ALPHABET = Alphabet("Anworksi")
PADDING = 1
#: Pieces without those around a sentence: few, so that most sentences are too long.
NARROW = WordPieces(tiny.byte_level_tokenizer(), 24)
WIDE = WordPieces(tiny.byte_level_tokenizer(), 4096)
Features = Mapping[str, np.ndarray[Any, Any]]
LONG = " ".join(f"Anna{number} works in Łódź" for number in range(30)).split()


def featuriser(pieces: WordPieces = NARROW) -> TransformerFeaturiser:
    return TransformerFeaturiser(pieces, PADDING, ALPHABET)


def features_of(parts: Sequence[Sequence[str]], reader: TransformerFeaturiser) -> Features:
    return reader.collate([reader.featurise(tokens) for tokens in parts])


def some() -> st.SearchStrategy[list[list[str]]]:
    """The tokens of a few sentences, one of them longer than any window."""
    parts = corpora().filter(len).map(lambda parts: [list(sentence.tokens) for sentence in parts])
    return st.tuples(parts, st.integers(1, 4 * 30), st.integers(0, 3)).map(
        lambda drawn: [*drawn[0][: drawn[2]], LONG[: drawn[1]], *drawn[0][drawn[2] :]]
    )


def pieces_of_tokens(features: Features, lengths: Sequence[int]) -> list[list[list[int]]]:
    """The pieces from the first to the last of every token, in all windows laid end to end."""
    flat = features["pieces"].ravel()
    return [
        [flat[low : high + 1].tolist() for low, high in zip(first[:length], last[:length], strict=True)]
        for first, last, length in zip(features["first"], features["last"], lengths, strict=True)
    ]


def expected(parts: Sequence[Sequence[str]], pieces: WordPieces) -> list[list[list[int]]]:
    return [[pieces.of(character_form(token, "lower")) for token in tokens] for tokens in parts]


@given(some(), st.sampled_from([NARROW, WIDE]))
@settings(max_examples=40)
def test_every_token_is_where_its_pieces_are(parts: list[list[str]], pieces: WordPieces) -> None:
    features = features_of(parts, featuriser(pieces))
    lengths = [len(tokens) for tokens in parts]
    assert pieces_of_tokens(features, lengths) == expected(parts, pieces)


@given(some())
@settings(max_examples=20)
def test_the_pieces_of_a_token_are_in_one_window_between_those_around_it(parts: list[list[str]]) -> None:
    features = features_of(parts, featuriser())
    width = features["pieces"].shape[1]
    for first, last, tokens in zip(features["first"], features["last"], parts, strict=True):
        first, last = first[: len(tokens)], last[: len(tokens)]
        np.testing.assert_array_equal(first // width, last // width)
        assert (first % width >= 1).all()
        assert (last % width < features["piece_lengths"][last // width] - 1).all()


@given(some())
@settings(max_examples=20)
def test_a_row_is_a_window_framed_and_then_padding(parts: list[list[str]]) -> None:
    features = features_of(parts, featuriser())
    rows = []
    for tokens in expected(parts, NARROW):
        counts = np.array([len(ids) for ids in tokens])
        for start, stop, _ in windows(counts, NARROW.room):
            rows.append([*NARROW.start, *chain.from_iterable(tokens[start:stop]), *NARROW.end])
    lengths = features["piece_lengths"].tolist()
    assert lengths == [len(row) for row in rows]
    assert max(lengths) == features["pieces"].shape[1] <= 24
    for row, own in zip(features["pieces"].tolist(), rows, strict=True):
        assert row == own + [PADDING] * (len(row) - len(own))


@given(some())
@settings(max_examples=20)
def test_sentences_that_have_room_are_a_row_each(parts: list[list[str]]) -> None:
    assert len(features_of(parts, featuriser(WIDE))["pieces"]) == len(parts)


@given(some())
@settings(max_examples=20)
def test_every_token_has_its_characters(parts: list[list[str]]) -> None:
    features = features_of(parts, featuriser())
    spelt = [
        row[:size]
        for row, size in zip(
            features["characters"].tolist(), features["character_lengths"].tolist(), strict=True
        )
    ]
    for forms, tokens in zip(features["form_index"].tolist(), parts, strict=True):
        own = [spelt[form] for form in forms[: len(tokens)]]
        assert own == [ALPHABET.spell(character_form(token, "lower")) for token in tokens]


@given(some())
@settings(max_examples=20)
def test_padding_points_to_the_first_piece_of_all(parts: list[list[str]]) -> None:
    features = features_of(parts, featuriser())
    for row, tokens in enumerate(parts):
        for name in ("first", "last", "form_index"):
            assert not features[name][row, len(tokens) :].any()


@given(some())
@settings(max_examples=20)
def test_a_piece_may_tell_the_case_of_its_word_and_nothing_else_changes(parts: list[list[str]]) -> None:
    size = 1000
    cased = features_of(parts, TransformerFeaturiser(NARROW, PADDING, ALPHABET, vocabulary=size))
    plain = features_of(parts, featuriser())
    np.testing.assert_array_equal(cased["pieces"] % size, plain["pieces"])
    assert cased.keys() == plain.keys()
    for name in plain.keys() - {"pieces"}:
        np.testing.assert_array_equal(cased[name], plain[name])
    told = pieces_of_tokens({**cased, "pieces": cased["pieces"] // size}, [len(tokens) for tokens in parts])
    for cases, tokens in zip(told, parts, strict=True):
        for own, token in zip(cases, tokens, strict=True):
            assert set(own) <= {case_of(character_form(token, "lower"))}


def test_all_arrays_are_whole_numbers_of_64_bits() -> None:
    features = features_of([["Anna", "works"], ["in"]], featuriser())
    assert {array.dtype for array in features.values()} == {np.dtype(np.int64)}


def test_escaped_brackets_are_read_as_brackets() -> None:
    reader = featuriser()
    assert pieces_of_tokens(features_of([["-LRB-", "("]], reader), [2]) == [[NARROW.of("(")] * 2]


# What is remembered


def test_words_of_one_shape_are_one_form_and_keep_their_pieces() -> None:
    reader = TransformerFeaturiser(WIDE, PADDING, Alphabet("Aa0-"), "shapes")
    features = features_of([["Anna", "Emil", "B-52", "C-17", "anna"]], reader)
    index = features["form_index"][0]
    assert [len(set(index[places])) for places in ([0, 1], [2, 3], [0, 4])] == [1, 1, 2]
    pieces = pieces_of_tokens(features, [5])[0]
    assert pieces[0] != pieces[1]
    assert pieces[2] != pieces[3]


def test_a_token_met_before_is_not_cut_again(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = WordPieces(tiny.byte_level_tokenizer(), 24)
    reader = featuriser(pieces)
    before = features_of([["Anna", "works", "Anna"]], reader)
    assert reader.remembered == 2

    def never(word: str) -> list[int]:
        raise AssertionError(f"cut again: {word}")

    monkeypatch.setattr(pieces, "of", never)
    again = features_of([["Anna", "works", "Anna"]], reader)
    for name, array in before.items():
        np.testing.assert_array_equal(again[name], array)


@pytest.mark.parametrize("size", [1024, 1025, 4000])
def test_more_tokens_than_there_was_room_for_have_the_same_pieces(size: int) -> None:
    reader = featuriser(WIDE)
    singles = [[f"works{number}"] for number in range(size)]
    featurised = [reader.featurise(tokens) for tokens in singles]
    assert reader.remembered == size
    features = reader.collate(featurised)
    assert pieces_of_tokens(features, [1] * size) == expected(singles, WIDE)


def test_threads_may_collate_while_another_featurises() -> None:
    reader, lock = featuriser(), threading.Lock()
    random = np.random.default_rng(0)
    parts = [[f"{'Anna' * (n % 3)}{n % 700}" for n in random.integers(0, 9000, 40)] for _ in range(60)]

    def work(tokens: list[str]) -> list[list[list[int]]]:
        with lock:
            featurised = [reader.featurise(tokens), reader.featurise(tokens[:3])]
        return pieces_of_tokens(reader.collate(featurised), [len(tokens), 3])

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(work, parts))
    assert reader.remembered > 1024
    for tokens, read in zip(parts, found, strict=True):
        assert read == expected([tokens, tokens[:3]], NARROW)


def test_a_monstrous_token_is_read_by_its_ends_and_not_kept() -> None:
    reader = featuriser(WIDE)
    monsters = ["A" * 100_000, "B" * 7000]
    features = features_of([["Anna", *monsters, "works"]], reader)
    counts = (features["last"] - features["first"] + 1)[0].tolist()
    assert counts[1:3] == [LONGEST_WORD] * 2
    assert features["characters"].shape[1] == 2 + 2 * LONGEST_END
    assert max(map(len, [*reader._tokens, *reader._spellings._forms])) <= 2 * LONGEST_END
    assert reader.remembered == 4


def test_any_text_is_a_token(news: list[Sentence]) -> None:
    strange = ["é", "\ud800", "\x00", "", " ", "👩‍👩‍👧"]
    for pieces in (NARROW, tiny.word_pieces(news)):
        features = features_of([strange], featuriser(pieces))
        assert pieces_of_tokens(features, [6]) == expected([strange], pieces)
