"""Every character has one shape, and the shape keeps white space apart from the rest."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from biaffinity.text.shape import JOINER, LETTER, MARK, STOP, SYMBOL, shape_of

KINDS = set("aA0()\"'-~$! ") | {LETTER, MARK, JOINER, SYMBOL, STOP}


def test_ascii_is_its_own_shape() -> None:
    ascii_text = "".join(map(chr, range(128)))
    assert shape_of(ascii_text) is ascii_text


def test_two_planes_of_characters_have_shapes_of_the_known_kinds() -> None:
    text = "".join(map(chr, range(128, 0x20000)))
    shape = shape_of(text)
    assert len(shape) == len(text)
    assert set(shape) == KINDS


def test_white_space_and_only_white_space_has_the_shape_of_white_space() -> None:
    text = "".join(map(chr, range(0x20000)))
    assert [c.isspace() for c in shape_of(text)] == [c.isspace() for c in text]


def test_the_last_character_of_unicode_and_a_lone_surrogate_are_symbols() -> None:
    assert shape_of(chr(sys.maxunicode) + "\ud800") == SYMBOL * 2


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("Łódź’s", "Aada's"),
        ("٣٤", "00"),
        ("שלום", LETTER * 4),
        (unicodedata.normalize("NFD", "é"), "e" + MARK),
        ("東カか", SYMBOL * 3),
        ("한국", LETTER * 2),
        ("«a»", '"a"'),
        ("„a“", '"a"'),
        ("a—b", "a~b"),
        ("a\u2011b", "a-b"),
        ("€5", "$5"),
        ("。", STOP),
        ("…", "!"),
        ("\u200b\ufeff", SYMBOL * 2),
    ],
)
def test_shape_of(text: str, shape: str) -> None:
    assert shape_of(text) == shape
