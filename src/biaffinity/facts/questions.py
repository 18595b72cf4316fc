"""Which facts pass what is asked of them: by entity, relation, score and time, the best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import islice
from typing import Any

from biaffinity.errors import UsageError
from biaffinity.facts.answers import About, Entity, Group
from biaffinity.facts.rows import facts, names, time_given
from biaffinity.store.database import Database

_ROLES = ("head", "tail")
_MOST = 10_000  # of facts in one answer


@dataclass(frozen=True, slots=True)
class Filter:
    """What is asked of facts beside whom they are about."""

    relation: str | None = None
    min_score: float = 0.0
    since: str | None = None
    until: str | None = None
    clauses: tuple[str, ...] = field(init=False)
    values: tuple[Any, ...] = field(init=False)

    def __post_init__(self) -> None:
        clauses: list[str] = []
        values: list[Any] = []
        if not 0 <= self.min_score <= 1:
            raise UsageError(
                f"{self.min_score} is no score", where="min_score", remedy="name one from 0 to 1"
            )
        if self.min_score > 0:
            clauses, values = [*clauses, "score >= ?"], [*values, self.min_score]
        if self.since is not None:
            clauses, values = [*clauses, "last_time >= ?"], [*values, time_given(self.since, "since")]
        if self.until is not None:
            clauses, values = [*clauses, "first_time <= ?"], [*values, time_given(self.until, "until")]
        object.__setattr__(self, "clauses", tuple(clauses))
        object.__setattr__(self, "values", tuple(values))


def require_page(limit: int, offset: int = 0) -> None:
    """An error unless a page of an answer can be given."""
    if not 0 < limit <= _MOST or not 0 <= offset <= 1_000_000:
        raise UsageError(
            f"limit {limit}, offset {offset} cannot be", remedy=f"limit is 1 to {_MOST:,}, offset 0 or more"
        )


def find(
    database: Database, wanted: dict[str, int], entity: int | None, filter: Filter, limit: int, offset: int
) -> list[int]:
    """Ids of facts with these heads and tails, and with an entity on either side; the best first."""
    sides = [wanted]
    if entity is not None and entity not in wanted.values():
        sides = [{**wanted, role: entity} for role in _ROLES if role not in wanted]
    found = [
        _best(database, side, relation, filter, limit + offset)
        for side in sides
        for relation in ([filter.relation] if filter.relation else _types(database, "facts", side))
    ]
    ranked = merge(*found, reverse=True)
    # A fact of an entity with itself is found on both sides.
    return list(islice(dict.fromkeys(id for _, id in ranked), offset, offset + limit))


def about(database: Database, entity: Entity, filter: Filter, limit: int, sentences: int) -> About:
    """An entity with its facts by relation and role, groups with the most facts first."""
    groups: list[tuple[str, str, int, list[int]]] = []
    for role in _ROLES:
        side = {role: entity.id}
        for relation in [filter.relation] if filter.relation else _types(database, "facts", side):
            ids = [id for _, id in _best(database, side, relation, filter, limit)]
            if ids:
                total = len(ids) if len(ids) < limit else _count(database, side, relation, filter)
                groups.append((relation, role, total, ids))
    groups.sort(key=lambda group: (-group[2], group[:2]))
    shown = {fact.id: fact for fact in facts(database, [id for *_, ids in groups for id in ids], sentences)}
    return About(
        entity,
        names(database, entity.id),
        tuple(Group(*group[:3], tuple(shown[id] for id in group[3] if id in shown)) for group in groups),
    )


def _best(
    database: Database, side: dict[str, int], relation: str, filter: Filter, limit: int
) -> list[tuple[float, int]]:
    """(score, id) of the best facts of one relation."""
    where, values = _where(side, relation, filter)
    return [
        (score, id)
        for score, id in database.select(
            f"SELECT score, id FROM facts{where} ORDER BY score DESC, id DESC LIMIT {limit}", values
        )
    ]


def _count(database: Database, side: dict[str, int], relation: str, filter: Filter) -> int:
    where, values = _where(side, relation, filter)
    return int(database.select(f"SELECT count(*) FROM facts{where}", values)[0][0])


def _where(side: dict[str, int], relation: str, filter: Filter) -> tuple[str, list[Any]]:
    clauses = [*(f"{column} = ?" for column in side), "type = ?", *filter.clauses]
    return f" WHERE {' AND '.join(clauses)}", [*side.values(), relation, *filter.values]


def most_documents(database: Database, table: str, type: str | None, limit: int) -> list[int]:
    """Ids of the entities or facts (of a type) that the most documents speak of."""
    found = [
        database.select(
            f"SELECT documents, id FROM {table} WHERE type = ? "
            f"ORDER BY documents DESC, id DESC LIMIT {limit}",
            [each],
        )
        for each in ([type] if type is not None else _types(database, table, {}))
    ]
    return [id for _, id in islice(merge(*found, reverse=True), limit)]


def _types(database: Database, table: str, side: dict[str, int]) -> Sequence[str]:
    """The types of a table, or of facts of a side: each by one step of an index, however many rows."""
    column = f"{next(iter(side))} = ? AND" if side else ""
    values = list(side.values())[:1] * 2
    rows = database.select(
        f"WITH RECURSIVE known (type) AS (SELECT min(type) FROM {table} WHERE {column} true UNION ALL "
        f"SELECT (SELECT min(type) FROM {table} WHERE {column} {table}.type > known.type) FROM known "
        "WHERE known.type IS NOT NULL) SELECT type FROM known WHERE type IS NOT NULL",
        values,
    )
    return [type for (type,) in rows]
