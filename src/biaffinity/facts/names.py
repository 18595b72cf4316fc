"""The normal form of a name: what is left of it when case, accents, articles, titles and legal forms are not
looked at. Two mentions of one type whose normal forms are equal have the same name.
"""

from __future__ import annotations

import re
import unicodedata

from biaffinity.store.documents import short_name

# Letters that Unicode does not take apart into a plain one and its accent.
_LETTERS = str.maketrans(
    {
        "ł": "l",
        "ø": "o",
        "đ": "d",
        "ð": "d",
        "ħ": "h",
        "ı": "i",
        "æ": "ae",
        "œ": "oe",
        "þ": "th",
        "&": " and ",
    }
)
_ACCENTS = re.compile("[\u0300-\u036f]")
# Within a word an apostrophe or a dot joins (O'Neill, U.S.), anything else parts (Al-Qaeda).
_JOINING = re.compile(r"(?<=\w)['’ʼ.](?=\w)|(?<=\b\w)\.")
_GENITIVE = re.compile(r"['’ʼ]s?$")
# Vowel signs of Hebrew, Arabic and the scripts of India and its neighbours are no letters to Python.
_PARTING = re.compile("(?:(?![\u0591-\u05c7\u0610-\u061a\u064b-\u0670\u0900-\u1cff])[\\W_])+")

_TITLES = """
    mr mrs ms miss mx dr prof professor sir dame lord lady rev reverend hon capt captain col colonel gen
    general lt lieutenant maj major sgt sergeant adm admiral cmdr commander fr sen senator rep gov governor
"""
_LEGAL_FORMS = """
    inc incorporated ltd limited llc llp lp plc corp corporation co company gmbh ag kg kgaa ug ev sa sarl sas
    spa srl bv nv ab as asa oy oyj aps pty pte pvt kk se
"""
BEFORE = frozenset(["the", *_TITLES.split()])
AFTER = frozenset(_LEGAL_FORMS.split())


def words_of(text: str) -> list[str]:
    """The words of a name without case and accents.

    >>> words_of("The Łódź-Norvik Oil Co., Ltd."), words_of("Élise O’Neill's"), words_of("U.S.")
    (['the', 'lodz', 'norvik', 'oil', 'co', 'ltd'], ['elise', 'oneill'], ['us'])
    """
    plain = unicodedata.normalize("NFKD", text).casefold().translate(_LETTERS)
    plain = unicodedata.normalize("NFC", _ACCENTS.sub("", plain))
    return _PARTING.sub(" ", _JOINING.sub("", _GENITIVE.sub("", plain.strip()))).split()


def normal_form(text: str) -> str:
    """The normal form of a name; empty only where it is.

    >>> normal_form("The Łódź-Norvik Oil Co., Ltd."), normal_form("Dr. Élise O’Neill"), normal_form(" ?! ")
    ('lodz norvik oil', 'elise oneill', '?!')
    """
    words = words_of(text)
    start, end = 0, len(words)
    while end - start > 1 and words[start] in BEFORE:
        start += 1
    # "and Co" goes as a whole.
    while end - start > 1 and (words[end - 1] in AFTER or (end < len(words) and words[end - 1] == "and")):
        end -= 1
    # A name of signs alone is compared by these.
    return short_name(" ".join(words[start:end]) or " ".join(text.split()))


def as_written(text: str) -> str:
    """A name as it is shown: without white space around it and without the article of the sentence.

    >>> as_written("the Norvik Oil Company"), as_written("The Hague")
    ('Norvik Oil Company', 'The Hague')
    """
    return " ".join(text.split()).removeprefix("the ")
