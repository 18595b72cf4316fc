"""Pieces set in rows no wider than the drawing, from the left or, for Arabic and Hebrew, from the right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from biaffinity.show.boxes import Box
from biaffinity.show.directions import leftwards, levels, visual_order
from biaffinity.show.pieces import Piece

EDGE = 12.0  # free at both sides of a drawing


@dataclass(slots=True)
class Row:
    """Pieces ``first`` to ``end`` (exclusive) side by side; ``base`` is 1 where they are read from the right.

    ``leads`` where a paragraph begins.
    """

    first: int
    end: int
    base: int
    leads: bool


def rows(pieces: Sequence[Piece], boxes: Sequence[Box], room: float) -> tuple[list[Row], float]:
    """Set the pieces in rows, each with its ``x``, and tell the width used; a box is parted if it must."""
    joined = _joined(pieces, boxes)
    made: list[Row] = []
    for start, end in _lines(pieces):
        base = int(leftwards("".join(piece.text for piece in pieces[start:end])))
        leads = pieces[start].lines == 2
        first, width = start, 0.0
        for a, b in _groups(pieces, joined, start, end, room):
            needed = _measure(pieces, a, b)
            if a > first and width + pieces[a].gap + needed > room:
                made.append(Row(first, a, base, leads))
                first, width, leads = a, 0.0, False
            width += needed + (pieces[a].gap if a > first else 0.0)
        made.append(Row(first, end, base, leads))
    used = max((_measure(pieces, row.first, row.end) for row in made), default=0.0)
    for row in made:
        _place(pieces, row, used)
    return made, used


def _joined(pieces: Sequence[Piece], boxes: Sequence[Box]) -> list[bool]:
    """Whether each piece lies in one box with the piece before it."""
    steps = [0] * (len(pieces) + 1)
    for box in boxes:
        steps[min(box.first + 1, len(pieces))] += 1
        steps[box.last + 1] -= 1
    joined, depth = [], 0
    for step in steps[:-1]:
        depth += step
        joined.append(depth > 0)
    return joined


def _lines(pieces: Sequence[Piece]) -> Iterator[tuple[int, int]]:
    """From every piece that must begin a row to the next such."""
    start = 0
    for index, piece in enumerate(pieces):
        if piece.lines and index > start:
            yield start, index
            start = index
    if pieces:
        yield start, len(pieces)


def _groups(
    pieces: Sequence[Piece], joined: Sequence[bool], start: int, end: int, room: float
) -> Iterator[tuple[int, int]]:
    """Pieces that stay together: boxes; where one is wider than a row, words; and then single pieces."""

    def cut(a: int, b: int, way: int) -> Iterator[tuple[int, int]]:
        first = a
        for index in range(a + 1, b + 1):
            free = index == b or way == 2 or (pieces[index].breaks and (way == 1 or not joined[index]))
            if free:
                if way < 2 and _measure(pieces, first, index) > room:
                    yield from cut(first, index, way + 1)
                else:
                    yield first, index
                first = index

    yield from cut(start, end, 0)


def _measure(pieces: Sequence[Piece], start: int, end: int) -> float:
    """The width of some pieces in a row, without the white space in front."""
    if start == end:
        return 0.0
    room = sum(p.gap + p.before + p.width + p.after for p in pieces[start:end])
    return room - pieces[start].gap


def _place(pieces: Sequence[Piece], row: Row, used: float) -> None:
    """Give the pieces of a row their places, from left to right as they are seen."""
    line = pieces[row.first : row.end]
    grades = levels([piece.text for piece in line], row.base)
    # White space has the level of its neighbours if they agree; as an item of its own it turns with them.
    items: list[tuple[int, Piece | None, float]] = []
    for index, (piece, level) in enumerate(zip(line, grades, strict=True)):
        if index:
            between = level if level == grades[index - 1] else row.base
            items.append((between, None, piece.gap))
        items.append((level, piece, piece.before + piece.width + piece.after))
    x = EDGE + (used - _measure(pieces, row.first, row.end) if row.base else 0.0)
    for index in visual_order([level for level, _, _ in items]):
        level, placed, width = items[index]
        if placed is not None:
            placed.level = level
            placed.x = x + (placed.after if level % 2 else placed.before)
        x += width
