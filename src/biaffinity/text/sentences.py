"""Where the sentences of a text begin, decided at the tokens that could end one."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from string import ascii_uppercase, digits

from biaffinity.text.abbreviations import OPENERS, PLACES, TITLES
from biaffinity.text.shape import LETTER, STOP, SYMBOL, shape_of
from biaffinity.text.tokens import Scan, Span, is_abbreviation

_CLOSING = frozenset("\"')]}")
_OPENING = frozenset("\"'`*([{")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_LONGEST_ASIDE = 1000  # characters searched for the end of a bracket
_MOST_QUOTES = 8  # tokens searched for the first word after opening quotes and brackets
_BEGINNING = frozenset(f"{ascii_uppercase}{digits}$#@{LETTER}{SYMBOL}")

# Two line ends with nothing but white space between them, or the character made for it.
_PARAGRAPH = re.compile(r"\n\s*\n|\r(?!\n)[^\S\n]*\r(?!\n)|\u2029")


def sentence_edges(scan: Scan) -> list[int]:
    """The index of every sentence's first token, in order from 0, then the number of tokens."""
    spans = scan.spans
    edges = {bisect_left(spans, (match.end(), 0)) for match in _PARAGRAPH.finditer(scan.text)}
    edges |= {0, len(spans)}
    for stop in scan.stops:
        following = stop + 1
        while following < len(spans) and _closes(scan, following):
            following += 1
        if following not in edges and _ends(scan, stop, following, edges):
            edges.add(following)
    return sorted(edges)


def last_stop(scan: Scan, first: int, end: int) -> int:
    """The last of tokens ``first`` to ``end`` that is no closing quote or bracket."""
    index = end - 1
    while index > first and _closes(scan, index):
        index -= 1
    return index


def closing_period(tokens: Sequence[str]) -> int | None:
    """Which of a sentence's tokens is the period that ends it and belongs to no abbreviation, if one is.

    >>> closing_period(["Ann", "left", "the", "UK", ".", '"'])
    4
    >>> closing_period(["Ann", "left", "the", "U.S", "."]) is None
    True
    """
    index = len(tokens) - 1
    while index > 0 and shape_of(tokens[index])[0] in _CLOSING:
        index -= 1
    return index if index > 0 and tokens[index] == "." and not is_abbreviation(tokens[index - 1]) else None


def _closes(scan: Scan, index: int) -> bool:
    """Whether a token is a closing quote or bracket, set tight to the token before it."""
    start = scan.spans[index][0]
    return start == scan.spans[index - 1][1] and scan.shape[start] in _CLOSING


def _ends(scan: Scan, stop: int, following: int, edges: set[int]) -> bool:
    """Whether a sentence ends at token ``stop`` and its closing quotes, before token ``following``."""
    spans, shape = scan.spans, scan.shape
    if spans[following][0] == spans[following - 1][1]:
        return shape[spans[stop][0]] == STOP
    word = _first_word(scan, following)
    if word is None or _is_bare_number(scan, following, edges):
        return False
    if stop not in scan.abbreviations:
        return not _numbers_item(scan, stop, edges)
    abbreviation = scan.text[spans[stop][0] : spans[stop][1] - 1]
    if abbreviation in PLACES and stop and shape[spans[stop - 1][0]] == ",":
        return True  # in the middle of a sentence a comma would follow: "Lund, Va., where"
    return abbreviation not in TITLES and scan.text[word[0] : word[1]] in OPENERS


def _first_word(scan: Scan, index: int) -> Span | None:
    """The first word from token ``index`` on, past opening quotes, if it can begin a sentence.

    A bracket begins one only if it holds a whole one: "(He did.)", but not "(applause)".
    """
    shape = scan.shape
    for start, end in scan.spans[index : index + _MOST_QUOTES]:
        mark = shape[start]
        if mark in _BRACKETS:
            close = shape.find(_BRACKETS[mark], start, start + _LONGEST_ASIDE)
            if close < 0 or shape[close - 1] not in "\"'.!?":
                return None
        if mark not in _OPENING:
            return (start, end) if mark in _BEGINNING else None
    return None


def _is_bare_number(scan: Scan, index: int, edges: set[int]) -> bool:
    """Whether a number is all that is left of the paragraph, as the year in "Oslo. 1926"."""
    after = index + 1
    if after not in edges and scan.shape[scan.spans[after][0]] == ".":
        after += 1
    return scan.shape[scan.spans[index][0]].isdigit() and after in edges


def _numbers_item(scan: Scan, stop: int, edges: set[int]) -> bool:
    """Whether a stop closes the number of a heading or list item: "2." at the start of a line."""
    if stop == 0:
        return False
    start, end = scan.spans[stop - 1]
    if end - start > 2 or not scan.shape[start:end].isdigit() or scan.shape[end] != ".":
        return False
    return stop - 1 in edges or "\n" in scan.text[scan.spans[stop - 2][1] : start]
