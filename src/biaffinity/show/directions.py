"""The order in which pieces are seen where scripts that run to the left are among them.

A short form of the Unicode bidirectional algorithm (UAX #9), for whole words: what happens within a word is
left to the viewer.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import groupby

_LEFTWARDS = frozenset(("R", "AL"))
_NUMBERS = frozenset(("EN", "AN"))


def leftwards(text: str) -> bool:
    """Whether the text is read from the right: its first letter is of such a script."""
    if text.isascii():
        return False
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind == "L":
            return False
        if kind in _LEFTWARDS:
            return True
    return False


def levels(words: Sequence[str], base: int) -> list[int]:
    """The level of every word in a line of level ``base`` (1: read from the right); odd ones run to the left.

    >>> levels(["says", "שלום", ",", "עולם", "."], 0)
    [0, 1, 1, 1, 0]
    """
    found = [_strong(word, base) for word in words]
    if base == 0 and all(level in (0, None) for level in found):
        return [0] * len(words)
    before, known = base, []
    after = _following(found, base)
    for level, following in zip(found, after, strict=True):
        if level is None:
            level = before if before == following else base
        else:
            before = level
        known.append(level)
    return known


def visual_order(levels: Sequence[int]) -> list[int]:
    """The indexes of a line's words from left to right.

    >>> visual_order([0, 1, 1, 0]), visual_order([1, 2, 2, 1])
    ([0, 2, 1, 3], [3, 1, 2, 0])
    """
    order = list(range(len(levels)))
    for level in range(max(levels, default=0), 0, -1):
        turned: list[int] = []
        for high, run in groupby(order, key=lambda index: levels[index] >= level):
            indexes = list(run)
            turned += indexes[::-1] if high else indexes
        order = turned
    return order


def _strong(word: str, base: int) -> int | None:
    """The level that a word's own characters ask for; None if it has but signs."""
    if word.isascii() and word.isalpha():
        return 2 * base
    kinds = [unicodedata.bidirectional(character) for character in word]
    if any(kind in _LEFTWARDS for kind in kinds):
        return 1
    if any(kind == "L" or kind in _NUMBERS for kind in kinds):
        return 2 * base
    return None


def _following(found: Sequence[int | None], base: int) -> list[int]:
    """For every word, the level of the next that has one."""
    after, level = [], base
    for here in reversed(found):
        after.append(level)
        level = level if here is None else here
    return after[::-1]
