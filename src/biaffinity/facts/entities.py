"""The rows of names and entities, and their counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from biaffinity.store.database import Database

Pair = tuple[str, str]


@dataclass(slots=True)
class Change:
    """What is added to the counts of an entity."""

    mentions: int = 0
    documents: int = 0
    facts: int = 0


def names_of(database: Database, wanted: Mapping[Pair, str]) -> tuple[dict[Pair, int], dict[Pair, int]]:
    """The ids of names (normal form, type) and, apart from them, of those that were made for it.

    ``wanted`` tells how each is written. A new name is an entity of its own, without a row yet.
    """
    normals = sorted({normal for normal, _ in wanted})
    rows = database.select_among("SELECT normal, type, id FROM names WHERE normal", normals)
    known = {(normal, type): id for normal, type, id in rows if (normal, type) in wanted}
    missing = [name for name in wanted if name not in known]
    new = dict(zip(missing, database.reserve("names", len(missing)), strict=True))
    database.insert(
        "names",
        ["id", "normal", "type", "written", "entity", "mentions", "borne"],
        ((id, *name, wanted[name], id, 0, 0) for name, id in new.items()),
    )
    return known, new


def entities_of(database: Database, names: Collection[int]) -> dict[int, int]:
    """The entities of names, all by their ids."""
    return dict(database.select_among("SELECT id, entity FROM names WHERE id", sorted(names)))


def change_names(database: Database, meant: Counter[int], borne: Counter[int]) -> None:
    """Add to how often names are meant and borne."""
    rows = ((id, meant[id], borne[id]) for id in sorted({*meant, *borne}))
    database.scratch("more", {"id": "{whole}", "mentions": "{whole}", "borne": "{whole}"}, rows)
    database.change(
        "UPDATE names SET mentions = names.mentions + more.mentions, borne = names.borne + more.borne "
        "FROM more WHERE names.id = more.id"
    )


def change_entities(database: Database, changes: Mapping[int, Change]) -> None:
    """Add to the counts of entities."""
    columns = dict.fromkeys(("id", "mentions", "documents", "facts"), "{whole}")
    rows = ((id, each.mentions, each.documents, each.facts) for id, each in changes.items())
    database.scratch("more", columns, rows)
    database.change(
        "UPDATE entities SET mentions = entities.mentions + more.mentions, "
        "documents = entities.documents + more.documents, facts = entities.facts + more.facts "
        "FROM more WHERE entities.id = more.id"
    )


def add_entities(database: Database, names: Iterable[tuple[int, str, str]]) -> None:
    """Rows for entities that nothing is counted of yet: (id, name, type)."""
    columns = ["id", "name", "type", "mentions", "documents", "facts"]
    database.insert("entities", columns, ((*name, 0, 0, 0) for name in names))


def call_entities(database: Database, entities: Collection[int]) -> None:
    """Show entities of several names by the one that is meant most."""
    database.scratch("called", {"id": "{whole}"}, ((id,) for id in entities))
    rows = database.select(
        "SELECT called.id, names.mentions, names.id, names.written "
        "FROM called CROSS JOIN names WHERE names.entity = called.id"
    )
    best: dict[int, tuple[int, int, str]] = {}
    several: set[int] = set()
    for entity, mentions, name, written in rows:
        if entity in best:
            several.add(entity)
        mine = (-mentions, name, written)
        best[entity] = min(mine, best.get(entity, mine))
    database.change_each(
        "UPDATE entities SET name = ? WHERE id = ?", [(best[entity][2], entity) for entity in sorted(several)]
    )


def count_entities(database: Database, entities: Collection[int]) -> None:
    """Count mentions, documents and facts of entities anew; one that no name has any more is gone."""
    database.scratch("counted", {"id": "{whole}"}, ((id,) for id in entities))
    rows = database.select(
        "SELECT names.entity, count(*), count(DISTINCT m.document) FROM counted "
        "CROSS JOIN names CROSS JOIN entity_mentions AS m "
        "WHERE names.entity = counted.id AND m.means = names.id GROUP BY names.entity"
    )
    counts = {entity: (mentions, documents) for entity, mentions, documents in rows}
    facts: dict[int, int] = dict(
        database.select(
            "SELECT id, (SELECT count(*) FROM facts WHERE head = counted.id) "
            "+ (SELECT count(*) FROM facts WHERE tail = counted.id AND head <> counted.id) FROM counted"
        )
    )
    there = {id for (id,) in database.select_among("SELECT entity FROM names WHERE entity", list(entities))}
    database.change_among("DELETE FROM entities WHERE id", [id for id in entities if id not in there])
    database.change_each(
        "UPDATE entities SET mentions = ?, documents = ?, facts = ? WHERE id = ?",
        [(*counts.get(id, (0, 0)), facts[id], id) for id in sorted(there)],
    )
