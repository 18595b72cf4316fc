from __future__ import annotations

import pytest

from biaffinity.facts.resolution.acronyms import by_name, introduced, stands_for


@pytest.mark.parametrize(
    ("text", "mentions", "found"),
    [
        ("Norvik Oil Company (NOC) grew", ["Norvik Oil Company", "NOC"], [("NOC", "Norvik Oil Company")]),
        ("NOC (Norvik Oil Company) grew", ["NOC", "Norvik Oil Company"], [("NOC", "Norvik Oil Company")]),
        ("Norvik Oil Company (NOC, founded 1901)", ["Norvik Oil Company"], [("NOC", "Norvik Oil Company")]),
        ("Norvik Oil Company (1901)", ["Norvik Oil Company"], []),
        ("Norvik Oil Company (Solund)", ["Norvik Oil Company", "Solund"], []),
        ("Norvik Oil Company (NOC", ["Norvik Oil Company", "NOC"], []),
        ("Norvik Oil Company and NOC", ["Norvik Oil Company", "NOC"], []),
    ],
)
def test_a_bracket_introduces_an_acronym(
    text: str, mentions: list[str], found: list[tuple[str, str]]
) -> None:
    places = [(text.index(name), text.index(name) + len(name), name) for name in mentions]
    assert list(introduced(text, places)) == found


@pytest.mark.parametrize("name", ["Union of Soviet Socialist Republics", "United States Steel Refinery"])
def test_small_words_may_be_left_out(name: str) -> None:
    assert stands_for("USSR", name)


@pytest.mark.parametrize("acronym", ["", "N", "no", "NO C", "NOCX", "OCN", "N" * 50])
def test_what_is_not_made_of_first_letters_is_no_acronym(acronym: str) -> None:
    assert not stands_for(acronym, "Norvik Oil Company")


def test_an_acronym_of_two_names_stands_for_neither() -> None:
    assert by_name([("NOC", "Norvik Oil Company"), ("NOC", "Nordic Ore Council")]) == {}
