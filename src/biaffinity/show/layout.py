"""Where everything in a drawing is: rows of text, boxes around entities, arcs between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from biaffinity.annotation import Document, EntityMention, RelationMention
from biaffinity.show.arcs import Arc, Span, arrange
from biaffinity.show.boxes import LABEL_SIZE, PADDING, Box, boxes
from biaffinity.show.marks import NO_MARKS, Marks, marked_label
from biaffinity.show.markup import on_one_line
from biaffinity.show.pieces import Piece, pieces
from biaffinity.show.rows import EDGE, Row, rows
from biaffinity.show.widths import advance, shortened

_LABEL_ROOM = 280.0
_FAR_END = 110.0  # for the text of an argument in another row
_ASCENT, _TEXT_AND_LABEL = 18.0, 41.0  # a box above the baseline, and all of it
_OVER, _UNDER = 4.0, 17.0  # what a box around it adds
_PLAIN_ROW = 25.0  # from the top of a row without boxes to its end
_LIFT, _STEP = 22.0, 22.0  # from boxes to the first arc, and to the next
_ABOVE_ARCS = 12.0
_LEADING, _PARAGRAPH = 9.0, 16.0  # between rows


@dataclass(slots=True)
class Line:
    """A row of text with its arcs; ``baseline`` of its words, ``depth`` of its deepest box."""

    row: Row
    arcs: list[Arc]
    baseline: float = 0.0
    depth: int = -1

    def top(self, depth: int) -> float:
        """The upper side of a box."""
        return self.baseline - _ASCENT - _OVER * depth

    def bottom(self, depth: int) -> float:
        """The lower side of a box."""
        return self.baseline - _ASCENT + _TEXT_AND_LABEL + _UNDER * depth

    def height_of(self, level: int) -> float:
        """Where arcs of a level run."""
        return self.top(self.depth) - _LIFT - _STEP * level


@dataclass(slots=True)
class Layout:
    """A drawing's parts and their places; ``frames`` are the parts of every entity's box, one per row."""

    entities: Sequence[EntityMention]
    relations: Sequence[RelationMention]
    links: list[tuple[int, int]]
    pieces: list[Piece]
    boxes: list[Box]
    frames: list[list[Span]]
    lines: list[Line]
    width: float
    height: float


def lay_out(document: Document, width: float, marks: Marks = NO_MARKS) -> Layout:
    """Set a document in rows at most ``width`` wide."""
    entities, relations, links = document.entities, document.relations, _links(document)
    room = max(width - 2 * EDGE, 1.0)
    arrows = Counter(end for link in links for end in link)
    cut = pieces(document, entities, room)
    around = boxes(entities, cut, [arrows[index] for index in range(len(entities))], marks.entities)
    set_rows, used = rows(cut, around, room)
    lines = [Line(row, []) for row in set_rows]
    frames = _frames(cut, around, lines)
    labels = [
        shortened(
            marked_label(on_one_line(relation.type), marks.relations.get(index)),
            min(_LABEL_ROOM, room),
            LABEL_SIZE,
            bold=True,
        )
        for index, relation in enumerate(relations)
    ]
    widest = max((advance(label, LABEL_SIZE, bold=True) for label in labels), default=0.0)
    full = max(used, widest, room if len(lines) > 1 else 0.0) + 2 * EDGE
    for number, (relation, (head, tail)) in enumerate(zip(relations, links, strict=True)):
        _join(number, labels[number], relation, (head, tail), frames, lines, full)
    spans = [frame[0] for frame in frames]
    y = 0.0
    for number, line in enumerate(lines):
        levels = arrange(line.arcs, spans, full)
        y += (_PARAGRAPH if line.row.leads else _LEADING) if number else 0.0
        over = _LIFT + _STEP * (levels - 1) + _ABOVE_ARCS if levels else _LEADING
        line.baseline = y + over + _OVER * max(line.depth, 0) + _ASCENT
        y = line.bottom(line.depth) if line.depth >= 0 else line.baseline - _ASCENT + _PLAIN_ROW
    return Layout(entities, relations, links, cut, around, frames, lines, full, max(y, _PLAIN_ROW) + _LEADING)


def _links(document: Document) -> list[tuple[int, int]]:
    """Head and tail of every relation as indexes of the document's entities."""
    found, before = [], 0
    for sentence in document.sentences:
        found += [(before + relation.head, before + relation.tail) for relation in sentence.relations]
        before += len(sentence.entities)
    return found


def _frames(cut: Sequence[Piece], around: Sequence[Box], lines: Sequence[Line]) -> list[list[Span]]:
    """The sides of every box in every row that it is in."""
    row_of = [number for number, line in enumerate(lines) for _ in range(line.row.first, line.row.end)]
    frames = []
    for box in around:
        parts = []
        for number in range(row_of[box.first], row_of[box.last] + 1):
            line = lines[number]
            line.depth = max(line.depth, box.depth)
            first, last = max(box.first, line.row.first), min(box.last, line.row.end - 1)
            left, right = float("inf"), float("-inf")
            for index in range(first, last + 1):
                piece = cut[index]
                before = box.lead if index == box.first else PADDING / 2 if index == first else piece.before
                after = box.trail if index == box.last else PADDING / 2 if index == last else piece.after
                if piece.level % 2:
                    before, after = after, before
                left, right = min(left, piece.x - before), max(right, piece.x + piece.width + after)
            parts.append(Span(number, left, right))
        frames.append(parts)
    return frames


def _join(
    number: int,
    label: str,
    relation: RelationMention,
    link: tuple[int, int],
    frames: Sequence[Sequence[Span]],
    lines: Sequence[Line],
    width: float,
) -> None:
    """Add a relation to its row, or its two parts to theirs."""
    head, tail = link
    start, end = frames[head][0], frames[tail][0]
    if start.row == end.row:
        if start.centre <= end.centre:
            arc = Arc(number, label, head, tail, 1, start.centre, end.centre)
        else:
            arc = Arc(number, label, tail, head, -1, end.centre, start.centre)
        lines[start.row].arcs.append(arc)
        return
    for span, entity, is_tail in ((start, head, False), (end, tail, True)):
        upper = span.row == min(start.row, end.row)
        far = relation.head.text if is_tail else relation.tail.text
        far = shortened(on_one_line(far), _FAR_END, LABEL_SIZE, bold=True)
        told = shortened(f"{label} {'←' if is_tail else '→'} {far}", width - 2 * EDGE, LABEL_SIZE, bold=True)
        line = lines[span.row]
        if upper != bool(line.row.base):  # it leaves at, or comes from, the right side
            arc = Arc(number, told, entity, None, -1 if is_tail else 0, span.centre, width)
        else:
            arc = Arc(number, told, None, entity, 1 if is_tail else 0, 0.0, span.centre)
        line.arcs.append(arc)
