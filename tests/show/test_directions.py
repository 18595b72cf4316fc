from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from biaffinity.show.directions import leftwards, levels, visual_order


def seen(line: str, base: int) -> str:
    words = line.split()
    return " ".join(words[index] for index in visual_order(levels(words, base)))


def test_the_first_letter_decides_how_a_line_is_read() -> None:
    assert leftwards("... שלום hello")
    assert not leftwards("12 hello שלום")
    assert not leftwards("...")


def test_hebrew_in_english_turns_within_itself() -> None:
    assert seen("say אבג דהו , זחט now", 0) == "say זחט , דהו אבג now"


def test_english_and_numbers_in_hebrew_keep_their_order() -> None:
    assert seen("אבג New York 12 דהו", 1) == "דהו New York 12 אבג"


def test_signs_between_two_directions_go_with_the_line() -> None:
    assert levels(["אבג", ",", "New"], 1) == [1, 1, 2]
    assert levels(["אבג", ",", "New"], 0) == [1, 0, 0]


@given(st.lists(st.integers(0, 3), max_size=12))
def test_no_word_is_lost(found: list[int]) -> None:
    assert sorted(visual_order(found)) == list(range(len(found)))
