from __future__ import annotations

from html import unescape
from xml.etree import ElementTree

import pytest
from hypothesis import given

from biaffinity.show.markup import escaped, on_one_line, visible
from show.drawn import ANYTHING


@given(ANYTHING)
def test_any_text_may_stand_in_an_element_and_in_an_attribute(text: str) -> None:
    element = ElementTree.fromstring(f'<e a="{escaped(on_one_line(text))}">{escaped(on_one_line(text))}</e>')
    assert (element.text or "") == element.get("a") == on_one_line(text)


@given(ANYTHING)
def test_what_is_visible_has_as_many_characters(text: str) -> None:
    assert len(visible(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\x00", "␀"),
        ("\x1b", "␛"),
        ("\x7f", "␡"),
        ("\x9f", "�"),
        ("\ud800", "�"),
        ("\uffff", "�"),
        ("\u202e", "�"),
    ],
)
def test_what_has_no_picture_gets_one(text: str, seen: str) -> None:
    assert visible(text) == seen


@pytest.mark.parametrize("text", ["naïve 日本 😀", "x\u0302", "👩\u200d🔬", "a\u200fb"])
def test_what_can_be_seen_stays(text: str) -> None:
    assert visible(text) == text


def test_markup_is_no_markup() -> None:
    text = '<b title="a">&amp;\'</b>'
    assert unescape(escaped(text)) == text
    assert not set(escaped(text)) & set("<>\"'")
