"""Entities as boxes around pieces of text: which lies in which, and the room that they need."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from biaffinity.annotation import EntityMention
from biaffinity.show.marks import Mark, marked_label
from biaffinity.show.markup import on_one_line
from biaffinity.show.pieces import Piece
from biaffinity.show.widths import advance, shortened

LABEL_SIZE = 11.0
PADDING = 6.0  # between a box and what it holds
MARGIN = 1.5  # between a box and its neighbours
_LABEL_ROOM = 160.0
_ARROW_ROOM = 11.0
_ARROWS = 12  # a box is not made wider for more


@dataclass(slots=True)
class Box:
    """An entity: its first and last piece, its label, and its ``depth``: how many boxes lie within it.

    ``lead`` and ``trail`` are how far it reaches out before its first piece and after its last.
    """

    first: int
    last: int
    label: str
    depth: int = 0
    lead: float = 0.0
    trail: float = 0.0


def boxes(
    mentions: Sequence[EntityMention],
    pieces: Sequence[Piece],
    arrows: Sequence[int],
    marks: Mapping[int, Mark],
) -> list[Box]:
    """The box of every entity; the pieces at its ends get the room that it needs.

    ``arrows`` says how many relations begin and end at each entity: a box is wide enough to tell them apart.
    """
    starts, ends = [piece.start for piece in pieces], [piece.end for piece in pieces]
    made = [
        Box(
            bisect_left(starts, mention.start_char),
            bisect_right(ends, mention.end_char) - 1,
            shortened(
                marked_label(on_one_line(mention.type), marks.get(index)), _LABEL_ROOM, LABEL_SIZE, bold=True
            ),
        )
        for index, mention in enumerate(mentions)
    ]
    for cluster in _clusters(made):
        _stack(cluster)
    for box, count in sorted(zip(made, arrows, strict=True), key=lambda pair: pair[0].depth):
        first, last = pieces[box.first], pieces[box.last]
        first.before += PADDING + MARGIN
        last.after += PADDING + MARGIN
        needed = max(advance(box.label, LABEL_SIZE, bold=True), _ARROW_ROOM * min(count, _ARROWS))
        missing = (needed + 2 * PADDING - _width(pieces, box, needed + 2 * PADDING)) / 2
        if missing > 0:
            first.before += missing
            last.after += missing
        box.lead, box.trail = first.before - MARGIN, last.after - MARGIN
    return made


def _clusters(found: Sequence[Box]) -> Iterator[list[Box]]:
    """Boxes in groups that share no piece with any other group."""
    cluster: list[Box] = []
    end = -1
    for box in sorted(found, key=lambda box: box.first):
        if box.first > end and cluster:
            yield cluster
            cluster = []
        cluster.append(box)
        end = max(end, box.last)
    if cluster:
        yield cluster


def _stack(cluster: Sequence[Box]) -> None:
    """Give every box its depth: over all shorter ones that it shares a piece with."""
    placed: list[Box] = []
    for box in sorted(cluster, key=lambda box: box.last - box.first):
        under = [b.depth for b in placed if b.first <= box.last and box.first <= b.last]
        box.depth = max(under, default=-1) + 1
        placed.append(box)


def _width(pieces: Sequence[Piece], box: Box, enough: float) -> float:
    """The width of what a box lies around, counted no further than ``enough``."""
    width = -2 * MARGIN - pieces[box.first].gap
    for index in range(box.first, box.last + 1):
        piece = pieces[index]
        width += piece.gap + piece.before + piece.width + piece.after
        if width >= enough:
            break
    return width
