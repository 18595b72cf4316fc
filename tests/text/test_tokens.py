"""Which tokens a text has, case by case; hand-written, with invented names."""

from __future__ import annotations

import pytest

from biaffinity.text import tokenise


def tokens(text: str) -> list[str]:
    return [text[start:end] for start, end in tokenise(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # words
        ("a 20-to 30-ton well-kept barge", "a 20-to 30-ton well-kept barge"),
        ("U.S.-funded D-N.C. talks", "U.S.-funded D-N.C. talks"),
        ("Oslo-based Havn, a U.S.-led group.", "Oslo - based Havn , a U.S. - led group ."),
        ("the Łódź-born Roe, Java-based", "the Łódź - born Roe , Java - based"),
        ("a plant-based diet -based", "a plant-based diet - based"),
        ("wait--no", "wait -- no"),
        ("a long—very long—way", "a long — very long — way"),
        ("and/or", "and / or"),
        ("snake_case AT&T", "snake_case AT&T"),
        # periods
        ("Ms. Roe left.", "Ms. Roe left ."),
        ("J. R. Roe, Ph.D., spoke", "J. R. Roe , Ph.D. , spoke"),
        ("in Lund, Vt., at 3 p.m. today", "in Lund , Vt. , at 3 p.m. today"),
        ("She lives in Calif.", "She lives in Calif ."),
        ('Made in the "U.S."', 'Made in the " U.S . "'),
        ("No. 5 said no. Yes", "No. 5 said no . Yes"),
        ("He left.Then he ran", "He left . Then he ran"),
        ("well... so .. yes", "well ... so .. yes"),
        ("ST. ODO, Minn. (AN)", "ST. ODO , Minn. ( AN )"),
        # apostrophes
        ("Roe's dogs' bowls", "Roe 's dogs ' bowls"),
        ("don't we'll I'm", "don 't we 'll I 'm"),
        ("Zoë’s", "Zoë ’s"),
        ("O'Mara", "O 'Mara"),
        ("the '50s", "the '50s"),
        ("a 'quoted' word", "a ' quoted ' word"),
        # numbers and money
        ("$9.7 €5 .38-caliber -$.50", "$9.7 €5 .38-caliber - $.50"),
        ("1,441 at 3.14%", "1 , 441 at 3.14 %"),
        ("5–6 at 12:30", "5 – 6 at 12 : 30"),
        # quotes and brackets
        ('"Go," (he said) [twice]', '" Go , " ( he said ) [ twice ]'),
        ("“Go!” «non»", "“ Go ! ” « non »"),
        ("what?! no!!", "what ?! no !!"),
        # addresses
        ("see https://a.example/b?c=1&d=2.", "see https://a.example/b?c=1&d=2 ."),
        ("(www.a.example)", "( www.a.example )"),
        ("<http://a.example/>", "< http://a.example/ >"),
        ("mail ann.roe+x@b-c.example, now", "mail ann.roe+x@b-c.example , now"),
        ("@ann #5 a+b", "@ann #5 a + b"),
        # other scripts
        ("東京は2020年。", "東 京 は 2020 年 。"),
        ("שלום, עולם!", "שלום , עולם !"),
        ("हिन्दी में", "हिन्दी में"),
        ("می‌خواهم", "می‌خواهم"),
        ("한국어 문장", "한국어 문장"),
        ("e\u0301te\u0301 na\u0308iv", "e\u0301te\u0301 na\u0308iv"),
        # emoji
        ("hi👩🏽‍🔬👍🏿!", "hi 👩🏽‍🔬 👍🏿 !"),
        ("❤️‍🔥 1️⃣", "❤️‍🔥 1️⃣"),
    ],
)
def test_tokens_of(text: str, expected: str) -> None:
    assert tokens(text) == expected.split(" ")


def test_invisible_characters_that_are_not_white_space_are_tokens_of_their_own() -> None:
    assert tokens("\ufeffAnn\u200bRoe\x00x\ud800") == [
        "\ufeff",
        "Ann",
        "\u200b",
        "Roe",
        "\x00",
        "x",
        "\ud800",
    ]


def test_a_soft_hyphen_stays_inside_its_word() -> None:
    assert tokens("re\u00adturn") == ["re\u00adturn"]
