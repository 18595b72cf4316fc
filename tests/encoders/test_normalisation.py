"""The two normalisations against tables worked by hand from the protocol."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.encoders.normalisation import character_form, word_form

NUMBER, EMAIL, WEB = (character_form(token, "paper") for token in ("7", "a@b", "www.a"))


@pytest.mark.parametrize(
    ("token", "paper", "lower"),
    [
        ("Brnovice", "brnovice", "brnovice"),
        ("ÉTÉ", "été", "été"),
        ("'s", "'s", "'s"),
        ("-LRB-", "(", "("),
        ("-RRB-", ")", ")"),
        ("-LSB-", "[", "["),
        ("-RSB-", "]", "]"),
        ("-LCB-", "{", "{"),
        ("-RCB-", "}", "}"),
        ("COMMA", ",", ","),
        ("Comma", "comma", "comma"),
        ("``", '"', '"'),
        ("''", '"', '"'),
        ("``We", '"we', '"we'),
        ("'", "'", "'"),
        ("`", "`", "`"),
        ("1994", "NUM", "1994"),
        ("70-mph", "NUM", "70-mph"),
        ("3.5", "NUM", "3.5"),
        ("$12", "$12", "$12"),
        ("F404", "f404", "f404"),
        ("٣", "٣", "٣"),
        ("Ann@Brno.example", "EMAIL", "ann@brno.example"),
        ("@", "@", "@"),
        ("@ann", "@ann", "@ann"),
        ("ann@", "ann@", "ann@"),
        ("http://brno.example", "URL", "http://brno.example"),
        ("HTTPS://brno.example", "URL", "https://brno.example"),
        ("www.brno.example", "URL", "www.brno.example"),
        ("http", "http", "http"),
        ("NUM", "num", "num"),
        ("", "", ""),
    ],
)
def test_word_form(token: str, paper: str, lower: str) -> None:
    assert word_form(token, "paper") == paper
    assert word_form(token, "lower") == lower


@pytest.mark.parametrize(
    ("token", "paper", "lower"),
    [
        ("Brnovice", "Brnovice", "Brnovice"),
        ("-LRB-", "-LRB-", "("),
        ("``", "``", '"'),
        ("1994", NUMBER, "1994"),
        ("NUM", "NUM", "NUM"),
        ("Ann@brno.example", EMAIL, "Ann@brno.example"),
        ("WWW.brno.example", WEB, "WWW.brno.example"),
    ],
)
def test_character_form(token: str, paper: str, lower: str) -> None:
    assert character_form(token, "paper") == paper
    assert character_form(token, "lower") == lower


def test_a_number_and_each_kind_of_address_are_one_character_of_their_own() -> None:
    assert len({NUMBER, EMAIL, WEB}) == 3
    assert [len(form) for form in (NUMBER, EMAIL, WEB)] == [1, 1, 1]


@given(st.text(st.characters(codec="ascii")))
def test_lower_word_form_is_the_lower_cased_character_form(token: str) -> None:
    assert word_form(token, "lower") == character_form(token, "lower").lower()


@given(st.text(st.characters(codec="ascii"), min_size=1), st.sampled_from("0123456789"))
def test_whatever_follows_a_first_digit_the_paper_sees_a_number(rest: str, digit: str) -> None:
    assert word_form(digit + rest, "paper") == "NUM"
    assert character_form(digit + rest, "paper") == NUMBER
