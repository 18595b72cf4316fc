"""What a person decides: that two entities are one, or that a name is not of an entity. It holds for good."""

from __future__ import annotations

from collections.abc import Sequence

from biaffinity.errors import UsageError
from biaffinity.facts.answers import Entity
from biaffinity.facts.links import regroup
from biaffinity.facts.names import normal_form
from biaffinity.facts.rows import key_given
from biaffinity.facts.update import read_documents
from biaffinity.store.database import Database
from biaffinity.store.documents import now


def merge(database: Database, one: Entity, other: Entity) -> None:
    """Make two entities one; what was decided against it before is forgotten."""
    if one.id == other.id:
        raise UsageError(f"both are #{one.id} {one.name}: they are one already")
    if one.type != other.type:
        raise UsageError(
            f"#{one.id} {one.name} is of the type {one.type}, #{other.id} {other.name} of {other.type}",
            remedy="only entities of one type can be merged",
        )
    ours, theirs = _names(database, one.id), _names(database, other.id)
    _forget(database, ours, theirs, together=False)
    _decide(database, [(one.id, other.id)], together=True)
    regroup(database, [one.id, other.id])


def split(database: Database, entity: Entity, name: int | str) -> tuple[int, int]:
    """Take a name out of an entity; a name of what is left, and the one that was taken out."""
    names = _names(database, entity.id)
    short = _short_names(database, names)
    out = _one_of(database, entity, name, [*names, *short])
    if out in names and len(names) == 1:
        raise UsageError(
            f"#{entity.id} {entity.name} has that name alone", remedy="it cannot be split further"
        )
    rest = [each for each in names if each != out]
    _forget(database, [out], rest, together=True)
    _decide(database, [(out, each) for each in rest], together=False)
    if out in names:
        regroup(database, names)
    # Where a document says that the short name means the full one, it no longer does.
    documents = [
        document
        for means in rest
        for (document,) in database.select(
            "SELECT DISTINCT document FROM entity_mentions WHERE name = ? AND means = ?", [out, means]
        )
    ]
    if documents:
        read_documents(database, sorted({*documents}))
    return rest[0], out


def _names(database: Database, entity: int) -> list[int]:
    return [id for (id,) in database.select("SELECT id FROM names WHERE entity = ? ORDER BY id", [entity])]


def _short_names(database: Database, names: Sequence[int]) -> list[int]:
    """The names that mean one of these somewhere."""
    query = "SELECT DISTINCT name FROM entity_mentions WHERE name <> means AND means"
    return [name for (name,) in database.select_among(query, names)]


def _one_of(database: Database, entity: Entity, name: int | str, names: Sequence[int]) -> int:
    """The id of a name that is among those of an entity."""
    query = "SELECT id, normal, written FROM names WHERE id"
    rows = database.select_among(query, list(dict.fromkeys(names)))
    name = key_given(name)
    normal = normal_form(name) if isinstance(name, str) else None
    for id, its_normal, _ in rows:
        if id == name or its_normal == normal:
            return int(id)
    shown = ", ".join(f"{written} (#{id})" for id, _, written in rows[:10])
    raise UsageError(
        f"#{entity.id} {entity.name} is not called {name!r:.60}", remedy=f"its names are {shown:.300}"
    )


def _decide(database: Database, pairs: Sequence[tuple[int, int]], *, together: bool) -> None:
    rows = [(min(pair), max(pair), together, now()) for pair in pairs]
    database.change_each(
        "DELETE FROM decisions WHERE one = ? AND other = ?", [(one, other) for one, other, *_ in rows]
    )
    database.insert("decisions", ["one", "other", "together", "made"], rows)


def _forget(database: Database, ours: Sequence[int], theirs: Sequence[int], *, together: bool) -> None:
    """Forget what was decided between names of two sides."""
    far = set(theirs)
    pairs = []
    for side in ("one", "other"):
        query = f"SELECT one, other FROM decisions WHERE {side}"
        for one, other in database.select_among(query, ours):
            if (other if side == "one" else one) in far:
                pairs.append((one, other, together))
    database.change_each("DELETE FROM decisions WHERE one = ? AND other = ? AND together = ?", pairs)
