from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.corpus.damage import DAMAGE, damage


@pytest.mark.parametrize(
    ("token", "kind"),
    [
        ("Caf\ufffd", "replacement-character"),
        ("CafÃ©", "mojibake"),
        ("â€™s", "mojibake"),
        ("Â°", "mojibake"),
        ("ðŸ˜€", "mojibake"),
        ("Ã\xad", "mojibake"),
        ("Caf&eacute;", "html-entity"),
        ("Caf&eacute", "html-entity"),
        ("&#233;", "html-entity"),
        ("&#xE9;", "html-entity"),
        ("&amp;", "html-entity"),
        ("a\x00b", "control-character"),
        ("a\x1bb", "control-character"),
        ("a\x9fb", "control-character"),
        ("co\xadop", "invisible-character"),
        ("a\u200bb", "invisible-character"),
        ("\ufeffa", "invisible-character"),
        ("\ud83d", "lone-surrogate"),
        ("na¨ıve", "loose-accent"),
        ("New York", "white-space"),
        ("New\xa0York", "white-space"),
        ("a\tb", "white-space"),
    ],
)
def test_damage_is_seen(token: str, kind: str) -> None:
    assert damage(token) == [kind]


def test_every_kind_of_damage_is_tried_here() -> None:
    tried = "\ufffd", "Ã©", "&eacute;", "\x00", "\u200b", "\ud800", "¨", "a b"
    assert [kind for token in tried for kind in damage(token)] == list(DAMAGE)


@pytest.mark.parametrize(
    "token",
    [
        "AT&T",
        "R&D",
        "&",
        "Q&A;",
        "naïve",
        "São",
        "Ångström",
        "LIBERTÉ”",
        "Ä“",
        "Łódź",
        "日本",
        "😀",
        "Москва",
        "Ελλάδα",
    ],
)
def test_honest_text_is_left_alone(token: str) -> None:
    assert damage(token) == []


@given(st.text(st.characters(codec="cp1252", categories=["L"], min_codepoint=0x80), min_size=1, max_size=4))
def test_accented_latin_read_as_latin1_is_seen(word: str) -> None:
    """Letters of Western Europe: two bytes in UTF-8, the first of them 0xC2 or 0xC3."""
    western = "".join(letter for letter in word if ord(letter) < 0x100)
    garbled = western.encode("utf-8").decode("latin-1")
    assert ("mojibake" in damage(garbled)) == bool(western)


@given(st.text(st.characters(min_codepoint=0x410, max_codepoint=0x44F), min_size=2, max_size=6))
def test_cyrillic_read_as_latin1_is_seen(word: str) -> None:
    assert "mojibake" in damage(word.encode("utf-8").decode("latin-1"))


@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S"], exclude_characters="&")))
def test_plain_ascii_is_never_damaged(token: str) -> None:
    assert damage(token) == []
