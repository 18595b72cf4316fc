from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.show.widths import advance, attaches, shortened, wide
from show.drawn import ANYTHING


@pytest.mark.parametrize(
    ("text", "alike"),
    [("é", "e"), ("x\u0302", "x"), ("👩\u200d🔬", "👩"), ("👍\U0001f3fd", "👍"), ("ﬁ", "fi"), ("ａ", "日")],
)
def test_characters_are_as_wide_as_what_they_are_drawn_like(text: str, alike: str) -> None:
    assert advance(text, 16) == advance(alike, 16)


def test_characters_of_chinese_are_square() -> None:
    assert advance("日本", 16) == 32
    assert wide("日")
    assert not wide("é")


def test_bold_is_wider() -> None:
    assert advance("Work_For", 11, bold=True) > advance("Work_For", 11)


@given(ANYTHING, st.floats(20, 200))
def test_what_is_shortened_fits(text: str, room: float) -> None:
    short = shortened(text, room, 11)
    assert advance(short, 11) <= room + 1e-6
    assert short == text or text.startswith(short.removesuffix("…"))


def test_marks_are_not_parted_from_their_letter() -> None:
    assert shortened("aaaaa" + "x\u0302" * 9, advance("aaaaax…", 10) + 1, 10) == "aaaaax\u0302…"
    assert attaches("\u0302")
