"""The shape of a text: as long as the text, every character replaced by one that stands for its kind.

The rules for tokens and sentences look at the shape, so they are written in a few characters and
hold for every script. Plain ASCII is its own shape.
"""

from __future__ import annotations

import unicodedata

LETTER = "ª"  # a letter without case: Hebrew, Arabic, Thai, Hangul
MARK = "¯"  # belongs to the character before it: accents, vowel signs, skin tones
JOINER = "¬"  # zero width joiner: glues its two neighbours
SYMBOL = "¤"  # a token of its own: emoji, ideographs and kana (no space parts them), control characters
STOP = "¶"  # ends a sentence with no space after it, as in Chinese and Japanese

_SINGLE = {
    "\u00ad": MARK,  # soft hyphen
    "\u200c": MARK,  # zero width non-joiner
    "\u200d": JOINER,
    "\u2010": "-",
    "\u2011": "-",
    **dict.fromkeys("‘’‚‛ʼ＇", "'"),
    **dict.fromkeys("“”„‟＂", '"'),
    **dict.fromkeys("…‽؟۔।॥።", "!"),
    **dict.fromkeys("。｡．！？", STOP),
}
_CATEGORY = {
    "Ll": "a",
    "Lu": "A",
    "Lt": "A",
    "Nd": "0",
    "Ps": "(",
    "Pe": ")",
    "Pi": '"',
    "Pf": '"',
    "Sc": "$",
    "Pd": "~",  # long dashes part words, a hyphen joins them
    **dict.fromkeys(("Lo", "Lm", "Nl", "No"), LETTER),
    **dict.fromkeys(("Mn", "Mc", "Me"), MARK),
}
_UNSPACED = ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA")


def shape_of(text: str) -> str:
    """The shape of a text, character for character.

    >>> shape_of("Zoë’s 東京")
    "Zoa's ¤¤"
    """
    return text if text.isascii() else text.translate(_SHAPES)


class _Shapes(dict[int, str]):
    """Code point to shape, worked out when a character is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = found = _kind(chr(code))
        return found


def _kind(character: str) -> str:
    if character.isspace():
        return " "
    if character in _SINGLE:
        return _SINGLE[character]
    if "\U0001f3fb" <= character <= "\U0001f3ff" or "\U000e0020" <= character <= "\U000e007f":
        return MARK  # skin tones; the tags that spell a flag
    if unicodedata.name(character, "").startswith(_UNSPACED):
        return SYMBOL
    return _CATEGORY.get(unicodedata.category(character), SYMBOL)


_SHAPES = _Shapes({code: chr(code) for code in range(128)})
