"""The shortest way between two entities: from both ends at once, so that it meets in the middle.

Entities with few facts are followed first: a way over them says more than one over a hub that everything is
joined to, and costs less. What a step may read is bounded.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from biaffinity.store.database import Database, Row

_FACTS_OF_A_STEP = 20_000
_ENTITIES_OF_A_STEP = 2_000


@dataclass(slots=True)
class _Side:
    """What was reached from one end: entities, each by the fact and the entity that led to it."""

    reached: dict[int, tuple[int, int] | None]
    edge: list[int]
    #: How many facts each entity at the edge has, and its id, once that was asked.
    degrees: list[Row] | None = None
    depth: int = 0
    complete: bool = True
    best: dict[int, float] = field(default_factory=dict)


def shortest(
    database: Database, start: int, end: int, longest: int, min_score: float
) -> tuple[list[int] | None, bool]:
    """The facts of a shortest way, or None; and whether all was looked at.

    Of several ways of one length it is the one whose scores have the greatest product.
    """
    if start == end:
        return [], True
    sides = [_Side({start: None}, [start], best={start: 1.0}), _Side({end: None}, [end], best={end: 1.0})]
    while sides[0].depth + sides[1].depth < longest and sides[0].edge and sides[1].edge:
        _step(database, min(sides, key=lambda each: _weight(database, each)), min_score)
        met = sides[0].reached.keys() & sides[1].reached.keys()
        if met:
            middle = max(met, key=lambda each: (sides[0].best[each] * sides[1].best[each], -each))
            way = [*reversed(_way(sides[0], middle)), *_way(sides[1], middle)]
            return way, sides[0].complete and sides[1].complete
    return None, sides[0].complete and sides[1].complete


def _degrees(database: Database, side: _Side) -> list[Row]:
    if side.degrees is None:
        side.degrees = database.select_among("SELECT facts, id FROM entities WHERE id", side.edge)
    return side.degrees


def _weight(database: Database, side: _Side) -> int:
    """How many facts a step from here would read."""
    return sum(count for count, _ in _degrees(database, side))


def _step(database: Database, side: _Side, min_score: float) -> None:
    """Go on by one fact from all entities at the edge."""
    degrees = _degrees(database, side)
    followed: list[int] = []
    room = _FACTS_OF_A_STEP
    for count, id in sorted(degrees):
        room -= count
        if room < 0 or len(followed) == _ENTITIES_OF_A_STEP:
            side.complete = False
            break
        followed.append(id)
    rows: list[Row] = []
    for near, far in (("head", "tail"), ("tail", "head")):
        query = f"SELECT {near}, {far}, id, score FROM facts WHERE score >= {float(min_score)!r} AND {near}"
        if followed:
            rows += database.select_among(query, followed)
        elif degrees:  # hubs only: the best facts of the smallest
            best = f"ORDER BY score DESC, id DESC LIMIT {_FACTS_OF_A_STEP // 2}"
            rows += database.select(f"{query} = ? {best}", [min(degrees)[1]])
    found: dict[int, tuple[float, int, int]] = {}
    for near_id, far_id, fact, score in rows:
        if far_id not in side.reached:
            mine = (side.best[near_id] * score, -fact, near_id)
            found[far_id] = max(mine, found.get(far_id, mine))
    for far_id, (product, fact, near_id) in found.items():
        side.reached[far_id] = (-fact, near_id)
        side.best[far_id] = product
    side.edge, side.degrees = list(found), None
    side.depth += 1


def _way(side: _Side, entity: int) -> list[int]:
    """The facts from an entity back to where a side began."""
    way = []
    while (step := side.reached[entity]) is not None:
        way.append(step[0])
        entity = step[1]
    return way
