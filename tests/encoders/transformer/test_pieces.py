"""Words in pieces, and long sentences in windows."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra transformers")

from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models

from biaffinity.annotation import Sentence
from biaffinity.encoders.transformer.pieces import LONGEST_WORD, WordPieces, windows
from biaffinity.errors import DataError
from encoders.transformer import tiny

BYTES = WordPieces(tiny.byte_level_tokenizer(), tiny.LIMIT)


def names(pieces: WordPieces, word: str) -> list[str]:
    return [pieces.tokenizer.id_to_token(number) for number in pieces.of(word)]


# Words


def test_a_word_that_is_not_known_whole_is_its_parts(pieces: WordPieces) -> None:
    assert names(pieces, "Bergen") == ["bergen"]
    assert names(pieces, "Oil") == ["o", "##i", "##l"]


def test_byte_level_pieces_are_those_after_a_space() -> None:
    assert names(BYTES, "in") == ["Ġin"]
    assert names(BYTES, "ion") == ["Ġi", "o", "n"]


def test_the_pieces_around_a_sentence_are_found_and_leave_the_rest_of_the_room(pieces: WordPieces) -> None:
    around = [pieces.tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]")]
    assert [pieces.start, pieces.end] == [[number] for number in around]
    assert pieces.room == tiny.LIMIT - 2


def test_a_tokeniser_that_puts_nothing_around_a_sentence_leaves_all_of_the_room() -> None:
    tokenizer = tiny.byte_level_tokenizer()
    bare = Tokenizer(tokenizer.model)
    bare.pre_tokenizer = tokenizer.pre_tokenizer
    pieces = WordPieces(bare, 10)
    assert (pieces.start, pieces.end, pieces.room) == ([], [], 10)


@given(st.text(max_size=80))
def test_every_word_has_a_piece_and_none_too_many(word: str) -> None:
    assert 1 <= len(BYTES.of(word)) <= LONGEST_WORD


@pytest.mark.parametrize("word", ["", " ", "\x07", "\x00\x1f", "\u200b", "\ufffd", "́", "\ue000"])
def test_a_word_without_any_piece_has_the_one_for_what_is_unknown(pieces: WordPieces, word: str) -> None:
    assert len(pieces.of(word)) >= 1
    assert all(0 <= piece < pieces.tokenizer.get_vocab_size() for piece in pieces.of(word))


def test_control_characters_are_read_as_one_unknown_piece(pieces: WordPieces) -> None:
    assert pieces.of("\x07") == pieces.of("\x01\x02") == pieces.of("?")


def test_half_a_character_is_read(pieces: WordPieces) -> None:
    assert pieces.of("a\ud800b") == pieces.of("a?b")


def test_a_very_long_word_is_cut_in_the_middle() -> None:
    word = "".join(chr(97 + number % 26) for number in range(200))
    whole = [f"Ġ{word}"[number] for number in range(201)]
    half = LONGEST_WORD // 2
    assert names(BYTES, word) == [*whole[:half], *whole[-half:]]


@pytest.mark.parametrize("length", [LONGEST_WORD - 1, LONGEST_WORD])
def test_a_word_of_as_many_pieces_as_are_read_is_not_cut(length: int) -> None:
    word = "abcdefghijklmnopqrstuvwxyzabcdefghijkl"[: length - 1]
    assert names(BYTES, word) == ["Ġ", *word]


@pytest.mark.parametrize("limit", [8, 9, 13])
def test_no_word_is_longer_than_a_window(limit: int) -> None:
    pieces = WordPieces(tiny.byte_level_tokenizer(), limit)
    assert len(pieces.of("x" * 100)) == pieces.room == limit - 2


def test_what_a_tokeniser_cuts_or_pads_by_itself_is_switched_off(news: list[Sentence]) -> None:
    tokenizer = tiny.word_piece_tokenizer(news)
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=20)
    assert len(WordPieces(tokenizer, tiny.LIMIT).of("zzzzzz")) == 6


# Files


def test_a_tokeniser_that_was_written_is_read(pieces: WordPieces, tmp_path: Path) -> None:
    pieces.tokenizer.save(str(tmp_path / "tokenizer.json"))
    again = WordPieces.read(tmp_path / "tokenizer.json", tiny.LIMIT)
    assert again.of("Oil") == pieces.of("Oil")
    assert (again.start, again.end, again.room) == (pieces.start, pieces.end, pieces.room)


def test_a_missing_tokeniser_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"tokenizer\.json: cannot be read: No such file"):
        WordPieces.read(tmp_path / "tokenizer.json", tiny.LIMIT)


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe", b'{"version": "1.0", "model": 3}', b"[1]"])
def test_a_damaged_tokeniser_is_named(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes(content)
    with pytest.raises(DataError, match=r"tokenizer\.json: is damaged: .*copy or train it again") as caught:
        WordPieces.read(tmp_path / "tokenizer.json", tiny.LIMIT)
    assert "\n" not in str(caught.value)


def test_a_tokeniser_that_knows_no_piece_is_named(tmp_path: Path) -> None:
    Tokenizer(models.WordLevel({}, unk_token="none")).save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(DataError, match=r"tokenizer\.json: is damaged"):
        WordPieces.read(tmp_path / "tokenizer.json", tiny.LIMIT)


# Windows


@st.composite
def sentences_in_pieces(draw: st.DrawFn) -> tuple[list[int], int]:
    """The pieces of each word, and the room that a window has."""
    room = draw(st.integers(6, 70))
    longest = min(room, draw(st.sampled_from([1, 3, LONGEST_WORD])))
    words = draw(st.integers(1, 120))
    return draw(st.lists(st.integers(1, longest), min_size=words, max_size=words)), room


@given(sentences_in_pieces())
def test_every_word_is_read_once_from_a_window_that_holds_it_whole(case: tuple[list[int], int]) -> None:
    counts, room = case
    found = list(windows(np.array(counts), room))
    owned = [own for _, _, own in found] + [len(counts)]
    assert owned[0] == 0
    for (start, stop, own), following in zip(found, owned[1:], strict=True):
        assert start <= own < following <= stop


@given(sentences_in_pieces())
def test_no_window_has_more_pieces_than_there_is_room(case: tuple[list[int], int]) -> None:
    counts, room = case
    for start, stop, _ in windows(np.array(counts), room):
        assert 0 < sum(counts[start:stop]) <= room


@given(sentences_in_pieces())
@example(([1, 1, 6], 6))  # the last word fills a window alone
def test_windows_go_on_and_reach_the_end(case: tuple[list[int], int]) -> None:
    counts, room = case
    found = list(windows(np.array(counts), room))
    assert (found[0][0], found[-1][1]) == (0, len(counts))
    for (start, stop, _), (later_start, later_stop, _) in pairwise(found):
        assert start < later_start <= stop < later_stop


@given(sentences_in_pieces())
@example(([3, 3, 3, 3, 3, 3], 10))
def test_windows_overlap_by_whole_words_up_to_a_quarter_or_what_the_next_word_leaves(
    case: tuple[list[int], int],
) -> None:
    counts, room = case
    for (_, stop, _), (later, _, _) in pairwise(windows(np.array(counts), room)):
        shared = sum(counts[later:stop])
        wanted = min(room // 4, room - counts[stop])
        assert wanted - counts[later - 1] < shared <= wanted


@given(sentences_in_pieces())
def test_a_word_in_two_windows_is_read_from_the_one_whose_end_is_farther_away(
    case: tuple[list[int], int],
) -> None:
    counts, room = case
    for (_, stop, _), (start, _, own) in pairwise(windows(np.array(counts), room)):
        for word in range(start, stop):
            left, right = word - start, stop - 1 - word  # words to the nearer end of either window
            assert left >= right - 1 if word >= own else right >= left


@given(st.lists(st.integers(1, 3), min_size=1, max_size=20))
def test_a_sentence_that_has_room_is_one_window(counts: list[int]) -> None:
    assert list(windows(np.array(counts), sum(counts))) == [(0, len(counts), 0)]
