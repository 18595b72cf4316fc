from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.facts.names import normal_form


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("Norvik Oil", "norvik oil"),
        ("the NORVIK OIL", "norvik oil"),
        ("Norvik Oil, Inc.", "norvik oil"),
        ("Norvik Oil GmbH & Co. KG", "norvik oil"),
        ("Dr. Élise O'Neill", "elise oneill"),
        ("Prof. Dr. Łukasz Żuraw’s", "lukasz zuraw"),
        ("Al-Qaeda", "al qaeda"),
        ("U.S.", "us"),
        ("J. R. Lind", "j r lind"),
        ("Straße", "strasse"),
        ("The", "the"),
        ("Ltd.", "ltd"),
        ("Mr. Co", "co"),
        ("東京", "東京"),
        ("हिन्दी", "हिन्दी"),
        ("?!", "?!"),
        ("  ", ""),
    ],
)
def test_what_does_not_tell_names_apart_is_left_out(text: str, normal: str) -> None:
    assert normal_form(text) == normal


@given(text=st.text())
def test_the_normal_form_of_a_normal_form_is_itself(text: str) -> None:
    normal = normal_form(text)
    assert normal_form(normal) == normal
    assert bool(normal) == bool(text.strip())


def test_a_very_long_name_is_one_that_an_index_takes() -> None:
    assert len(normal_form("é" * 100_000)) <= 500
