"""Acronyms that a text introduces in brackets: "European Space Agency (ESA)", or the other way about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from biaffinity.facts.names import normal_form, words_of

_AFTER = re.compile(r"['’\"”]?\s{0,2}\(\s?")
_LONGEST = 12
_SMALL = "a an and at de der des di du for in la le of on the to und van von"
_SMALL_WORDS = frozenset(_SMALL.split())

Place = tuple[int, int, str]


def introduced(text: str, mentions: Sequence[Place]) -> Iterator[tuple[str, str]]:
    """Pairs (acronym, what it stands for) that a text introduces, as written.

    ``mentions`` of one type, (start, end, text), in their order. The acronym in brackets need not be a
    mention itself; the long name must be one.

    >>> list(introduced("The Norvik Oil Company (NOC) left.", [(4, 22, "Norvik Oil Company")]))
    [('NOC', 'Norvik Oil Company')]
    """
    by_start = {start: name for start, _, name in mentions}
    for _, end, name in mentions:
        bracket = _AFTER.match(text, end)
        if bracket is None:
            continue
        close = text.find(")", bracket.end(), bracket.end() + 200)
        inside = re.split(r"[;,]", text[bracket.end() : close], maxsplit=1)[0].strip() if close > 0 else ""
        if stands_for(inside, name):
            yield inside, name
        elif (long := by_start.get(bracket.end())) is not None and stands_for(name, long):
            yield name, long


def stands_for(acronym: str, name: str) -> bool:
    """Whether an acronym is made of the first letters of a name's words.

    >>> stands_for("ESA", "European Space Agency"), stands_for("USSR", "Union of Soviet Socialist Republics")
    (True, True)
    >>> stands_for("2004", "Norvik Oil"), stands_for("NASA", "Norvik Oil")
    (False, False)
    """
    letters = "".join(filter(str.isalnum, acronym))
    if not 2 <= len(letters) <= _LONGEST or " " in acronym.strip() or sum(map(str.isupper, letters)) < 2:
        return False
    words = words_of(name)
    return len(words) > 1 and _initials("".join(words_of(letters)), words)


def _initials(wanted: str, words: Sequence[str]) -> bool:
    """Whether letters are the first ones of all words in their order; small words may be passed over."""
    if not wanted:
        return all(word in _SMALL_WORDS for word in words)
    if not words:
        return False
    first, rest = words[0], words[1:]
    if first.startswith(wanted[0]) and _initials(wanted[1:], rest):
        return True
    return first in _SMALL_WORDS and _initials(wanted, rest)


def by_name(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """What each acronym stands for, as normal forms; one that stands for two names is left out."""
    meant: dict[str, set[str]] = {}
    for acronym, name in pairs:
        meant.setdefault(normal_form(acronym), set()).add(normal_form(name))
    return {acronym: names.pop() for acronym, names in meant.items() if len(names) == 1}
