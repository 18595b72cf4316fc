"""Where sentences end, case by case: the expected borders are marked with a bar."""

from __future__ import annotations

import pytest

from biaffinity.text import closing_period, split_sentences


def marked(text: str) -> str:
    return "|".join(text[start:end] for start, end in split_sentences(text))


@pytest.mark.parametrize(
    "expected",
    [
        # plain
        "Ann left. |Bo stayed. |Who won? |Nobody! |Well… |Yes.",
        "Ann left. then Bo, too.",
        "Ann left.\nBo stayed\nat home.".replace("\nBo", "\n|Bo"),
        "It cost 3.5 million. |5 people paid.",
        "Version 2.0.1 is at www.a.example. |Get it.",
        # abbreviations
        "U.S. Sen. Roe met Gov. Lee in St. Odo, Vt., at 3 p.m. Monday.",
        "Dr. J. R. Roe Jr. of Acme Corp. spoke to Mr. X. |They agreed.",
        "He lives in the U.S. |The U.S. Senate met.",
        "She was born in Lund, Va. |Police came.",
        "LUND, Va. (AN) They met.",
        "They left at 5 p.m. |It rained.",
        "See Fig. 3 and No. 5, e.g. this, i.e. that, cf. Roe et al. for more.",
        # quotes and brackets after the stop
        'He said, "Go." |She went.',
        "“Go!” |He went.",
        "(He did.) |She did not. |(They did.) |Good.",
        "It was loud. (applause) Then quiet.",
        '"Why?" he asked. |"Because."',
        "A [sic!] sign. |„Gut.“ |Er ging.",
        # ellipses
        "He left ... and came back... or not. |Then... |Now.",
        # numbers
        "1. First |2. Second".replace("|", "\n"),
        "Thus:\n9. Ann left.\n|10. Bo stayed.\n|11. Cy, too.",
        "12. Bo stayed.\n\n|99. Cy, too.",
        "100. |Bo stayed.\n|He was in room\n101. |Cy, too.",
        "It was in Oslo. 1926",
        "It was in Oslo. 1926.\n\n|It was cold. |1926 was wet.",
        # paragraphs
        "A heading\n\n|Text that is\nwrapped. |More",
        "One\r\n\r\n|Two\r\nthree\r\n \r\n|four",
        "One\r\r|Two\rthree",
        "One\u2029|Two\u2028three",
        "Made in the U.S.\n\n|Senate",
        "\n\n One\n\n\n\n|Two\n\n",
        # other scripts
        "東京です。|「はい。」|人口は？|多い。",
        "שלום עולם. |מה שלומך? |טוב.",
        "كيف حالك؟ |بخير.",
        "पहला वाक्य। |दूसरा वाक्य।",
        "¿Quién? |Él. |Ñandú.",
    ],
)
def test_sentences_end_at_the_bars(expected: str) -> None:
    assert marked(expected.replace("|", "")) == expected


@pytest.mark.parametrize("title", ["Mr", "Mrs", "Dr", "Sen", "Gov", "Rev", "Capt", "GEN"])
def test_a_title_never_ends_a_sentence(title: str) -> None:
    assert marked(f"We met {title}. The Roe there.").count("|") == 0


def test_a_stop_at_the_end_needs_nothing_after_it() -> None:
    assert marked('He left. "') == 'He left. "'


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ("Ann left .", 2),
        ("Ann left the UK .", 4),
        ("in the UK . ” )", 3),
        ("in the UK . ''", 3),
        ("Ann left the U.S .", None),
        ("She lives in Calif .", None),
        ("They met Mr. X .", None),
        ("Ann left !", None),
        ("Ann . left", None),
        (".", None),
        ("Ann", None),
    ],
)
def test_the_period_that_ends_a_sentence_is_known_from_that_of_an_abbreviation(
    tokens: str, expected: int | None
) -> None:
    assert closing_period(tokens.split()) == expected


def test_no_token_is_no_period() -> None:
    assert closing_period([]) is None
