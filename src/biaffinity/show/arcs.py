"""Relations as arcs over a row of text, stacked so that neither arcs nor labels lie on each other.

A relation between two rows is drawn in two parts: one leaves its row at the end, the other enters the other
row at the beginning, and the label of each names what is at the far end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import pairwise

from biaffinity.show.boxes import LABEL_SIZE
from biaffinity.show.widths import advance

_PILL = 12.0  # a label's sides
_GAP = 6.0  # between neighbours of one level
_CLEAR = 4.0  # between a label and a leg that passes it
#: Arcs of a row for which each is compared with each; no one can follow more, so they are only kept apart.
DENSE = 100


@dataclass(slots=True)
class Span:
    """Where an entity begins in the drawing: its row, and the sides of its box there."""

    row: int
    left: float
    right: float

    @property
    def centre(self) -> float:
        """The middle of the box."""
        return (self.left + self.right) / 2


@dataclass(slots=True)
class Arc:
    """One relation, or one part of it, in one row.

    ``left`` and ``right`` are its legs; an end without an entity (None) is open, at the edge of the
    drawing, and not among its ``legs``. ``arrow`` says which end has the arrow head: -1 the left, 1 the
    right, 0 none. ``reach`` is what it takes of its level with its label in the middle.
    """

    relation: int
    label: str
    left_entity: int | None
    right_entity: int | None
    arrow: int
    left: float
    right: float
    level: int = -1
    label_width: float = field(init=False)
    label_centre: float = 0.0
    reach: tuple[float, float] = (0.0, 0.0)
    legs: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        self.label_width = advance(self.label, LABEL_SIZE, bold=True) + _PILL

    def label_covers(self, x: float) -> bool:
        """Whether the label lies across a vertical line, or touches it."""
        return abs(x - self.label_centre) < self.label_width / 2 + 1

    def settle(self, width: float) -> None:
        """Put the label in the middle, or where it is all in the drawing; its ends are known."""
        half = self.label_width / 2
        centre = max(min((self.left + self.right) / 2, width - half - 2), half + 2)
        self.label_centre = centre
        self.reach = min(self.left, centre - half) - _GAP / 2, max(self.right, centre + half) + _GAP / 2
        ends = ((self.left, self.left_entity), (self.right, self.right_entity))
        self.legs = tuple(x for x, entity in ends if entity is not None)


def arrange(arcs: Sequence[Arc], spans: Sequence[Span], width: float) -> int:
    """Give the arcs of one row their legs, levels and places of labels; the number of levels."""
    _spread(arcs, spans)
    for arc in arcs:
        arc.settle(width)
    if len(arcs) > DENSE:
        return _stack(arcs)
    lower = _lower(arcs)
    for index in _from_below(arcs, lower):
        arc = arcs[index]
        taken = {other.level for other in arcs if other.level >= 0 and _overlap(arc.reach, other.reach)}
        arc.level = max((arcs[under].level for under in lower[index]), default=-1) + 1
        while arc.level in taken:
            arc.level += 1
    for arc in arcs:
        _shift_label(arc, arcs)
    return max((arc.level for arc in arcs), default=-1) + 1


def _stack(arcs: Sequence[Arc]) -> int:
    """Give every arc, from left to right, the lowest level that is free there; the number of levels."""
    busy: list[tuple[float, int]] = []
    free: list[int] = []
    levels = 0
    for arc in sorted(arcs, key=lambda arc: arc.reach):
        while busy and busy[0][0] <= arc.reach[0]:
            heappush(free, heappop(busy)[1])
        if not free:
            free.append(levels)
            levels += 1
        arc.level = heappop(free)
        heappush(busy, (arc.reach[1], arc.level))
    return levels


def _lower(arcs: Sequence[Arc]) -> list[list[int]]:
    """For every arc those that belong under it: what it spans, and what has a leg where its label is."""
    lower: list[list[int]] = [[] for _ in arcs]
    for one, arc in enumerate(arcs):
        for two in range(one):
            other = arcs[two]
            if not _overlap(arc.reach, other.reach):
                continue
            over, under = _belongs_over(arc, other), _belongs_over(other, arc)
            if over and not under:
                lower[one].append(two)
            elif under and not over:
                lower[two].append(one)
    return lower


def _belongs_over(arc: Arc, other: Arc) -> bool:
    spans = arc.reach[0] <= other.reach[0] and other.reach[1] <= arc.reach[1]
    return spans or any(map(arc.label_covers, other.legs))


def _from_below(arcs: Sequence[Arc], lower: Sequence[Sequence[int]]) -> Iterator[int]:
    """The arcs in an order in which what is under another comes first, otherwise the shortest."""
    waiting = [len(under) for under in lower]
    higher: list[list[int]] = [[] for _ in arcs]
    for index, under in enumerate(lower):
        for other in under:
            higher[other].append(index)
    size = [(arc.reach[1] - arc.reach[0], arc.reach[0], index) for index, arc in enumerate(arcs)]
    ready = [size[index] for index, count in enumerate(waiting) if not count]
    heapify(ready)
    rest = sorted(size, reverse=True)
    done = [False] * len(arcs)
    while rest:
        # Three labels may each ask to be over the next: then the shortest goes first.
        index = heappop(ready)[2] if ready else rest.pop()[2]
        if done[index]:
            continue
        done[index] = True
        yield index
        for other in higher[index]:
            waiting[other] -= 1
            if not waiting[other]:
                heappush(ready, size[other])


def _spread(arcs: Sequence[Arc], spans: Sequence[Span]) -> None:
    """Set the legs at an entity side by side so that they do not cross.

    From left to right: arcs that go to the left, the shortest first; then the others, the longest first.
    """
    legs: dict[int, list[tuple[float, int, Arc]]] = defaultdict(list)
    for number, arc in enumerate(arcs):
        length = 1 + arc.right - arc.left
        if arc.left_entity is not None:
            legs[arc.left_entity].append((1 / length, number, arc))
        if arc.right_entity is not None:
            legs[arc.right_entity].append((-1 / length, -number, arc))
    for entity, found in legs.items():
        span = spans[entity]
        step = (span.right - span.left) / (len(found) + 1)
        for place, (_, _, arc) in enumerate(sorted(found, key=lambda leg: leg[:2]), start=1):
            if entity == arc.left_entity:
                arc.left = span.left + place * step
            else:
                arc.right = span.left + place * step
    for arc in arcs:  # an entity within the other
        if arc.right < arc.left:
            arc.left, arc.right = arc.right, arc.left
            arc.left_entity, arc.right_entity = arc.right_entity, arc.left_entity
            arc.arrow = -arc.arrow


def _shift_label(arc: Arc, arcs: Sequence[Arc]) -> None:
    """Move a label along its arc so that no leg of a higher one passes behind it, if there is room."""
    half = arc.label_width / 2 + _CLEAR
    legs = (leg for other in arcs if other.level > arc.level for leg in other.legs)
    stops = [arc.left, *sorted(leg for leg in legs if arc.left < leg < arc.right), arc.right]
    places = [max(a + half, min(arc.label_centre, b - half)) for a, b in pairwise(stops) if b - a >= 2 * half]
    arc.label_centre = min(places, key=lambda x: abs(x - arc.label_centre), default=arc.label_centre)


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] < other[1] and other[0] < one[1]
