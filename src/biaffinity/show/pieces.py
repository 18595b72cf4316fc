"""A text cut into pieces: words, cut again where an entity begins or ends inside one."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from biaffinity.annotation import Document, EntityMention, Sentence
from biaffinity.show.markup import SPACE, visible
from biaffinity.show.widths import advance, attaches, wide

SIZE = 16.0  # of the text, in pixels
SPACE_WIDTH = 5.0  # between words, a little more than the font's
_WORD = re.compile(f"[^{SPACE}]+")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_NEVER_FIRST = frozenset(")]}.,;:!?%…’”»、。，．；：！？）］｝」』】〕〉》ー々")


@dataclass(slots=True)
class Piece:
    """Characters ``start`` to ``end`` of the text, drawn as one.

    ``before`` and ``after`` are room for the boxes that begin and end here; ``gap`` is the white space in
    front of it. A row may begin with it if it ``breaks``, and must if ``lines`` is 1, or 2 for a paragraph.
    In its row it begins at ``x`` and has a bidirectional ``level``: where that is odd, it runs to the left.
    """

    start: int
    end: int
    text: str
    width: float
    gap: float
    breaks: bool
    lines: int = 0
    before: float = 0.0
    after: float = 0.0
    x: float = 0.0
    level: int = 0


def pieces(document: Document, mentions: Sequence[EntityMention], room: float) -> list[Piece]:
    """The pieces of a document in the order of its text, none wider than ``room`` where it can be cut."""
    text = document.text
    ends = _line_ends(document)
    cuts = sorted({place for m in mentions for place in (m.start_char, m.end_char)})
    made: list[Piece] = []
    position = 0
    for start, end in _words(text, mentions):
        gap = SPACE_WIDTH if start > position else 0.0
        lines = max((ends.get(place, 0) for place in range(position, start + 1)), default=0) if made else 0
        inner = cuts[bisect_right(cuts, start) : bisect_left(cuts, end)]
        for a, b, breaks in _parts(text, start, end, inner, room):
            shown = visible(text[a:b]) if _WORD.match(text, a) else "␣" * (b - a)
            first = a == start
            made.append(
                Piece(
                    a,
                    b,
                    shown,
                    advance(shown, SIZE),
                    gap if first else 0.0,
                    (first and gap > 0) or breaks,
                    lines if first else 0,
                )
            )
        position = end
    return made


def _line_ends(document: Document) -> dict[int, int]:
    """Where a sentence ends with its line: 1, or 2 where a blank line follows."""
    ends = {}
    following = [*document.sentences, Sentence([])][1:]
    for offset, sentence, after in zip(document.offsets, document.sentences, following, strict=True):
        last = sentence.token_spans[-1][1] if sentence.token_spans else 0
        first = after.token_spans[0][0] if after.token_spans else None
        between = (sentence.text or "")[last:] + (after.text or "")[:first]
        if "\n" in between:
            ends[offset + last] = 2 if _BLANK_LINE.search(between) else 1
    return ends


def _words(text: str, mentions: Sequence[EntityMention]) -> Iterator[tuple[int, int]]:
    """Stretches without white space; the characters of an entity that has no others are shown as well."""
    blank = [m for m in mentions if not _WORD.search(m.text)]
    spaces = {(place, place + 1) for m in blank for place in range(m.start_char, m.end_char)}
    yield from sorted({*(match.span() for match in _WORD.finditer(text)), *spaces})


def _parts(
    text: str, start: int, end: int, cuts: Sequence[int], room: float
) -> Iterator[tuple[int, int, bool]]:
    """A word cut at ``cuts``, around wide characters, where the room ends; whether a row may begin there."""
    for a, b in pairwise((start, *cuts, end)):
        if text.isascii() and advance(text[a:b], SIZE) <= room:
            yield a, b, False
            continue
        first, width, breaks = a, 0.0, a > start and _may_part(text, a)
        for place in range(a, b):
            step = advance(visible(text[place]), SIZE)
            if place > first and (
                _may_part(text, place) or (width + step > room and not attaches(text[place]))
            ):
                yield first, place, breaks
                first, width, breaks = place, 0.0, True
            width += step
        yield first, b, breaks


def _may_part(text: str, place: int) -> bool:
    """Whether a line may end before this character though no space is there."""
    here, last = text[place], text[place - 1]
    if here in _NEVER_FIRST or attaches(here) or attaches(last):
        return False
    return wide(here) or (wide(last) and not wide(here))
