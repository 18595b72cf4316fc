"""Why the names of an entity are one, and what was kept apart from it."""

from __future__ import annotations

from collections.abc import Collection

from biaffinity.facts.answers import Entity, Name, Reason, Why
from biaffinity.facts.resolution.grouping import SIMILAR
from biaffinity.store.database import Database

MERGED = "merged"
SPLIT = "split"
_WAYS = 5  # of writing a name that are shown


def why(database: Database, entity: Entity) -> Why:
    """The names of an entity, most meant first, and the reasons that hold them together or apart."""
    own = database.select(
        "SELECT id, written, normal, mentions FROM names WHERE entity = ? ORDER BY mentions DESC, id",
        [entity.id],
    )
    names = [row[0] for row in own]
    reasons = [
        *_decisions(database, names),
        *_links(database, names),
        *_in_documents(database, names),
    ]
    shown = tuple(
        Name(id, written, normal, mentions, _written(database, id)) for id, written, normal, mentions in own
    )
    return Why(entity, shown, tuple(reasons))


def _written(database: Database, name: int) -> tuple[str, ...]:
    """Ways a name is written: of its first thousand mentions, that an entity of many is told at once."""
    rows = database.select(
        "SELECT text FROM (SELECT mention FROM entity_mentions WHERE means = ? AND name = ? LIMIT 1000) AS m "
        f"JOIN mentions ON mentions.id = m.mention GROUP BY text ORDER BY count(*) DESC, text LIMIT {_WAYS}",
        [name, name],
    )
    return tuple(text for (text,) in rows)


def _decisions(database: Database, names: Collection[int]) -> list[Reason]:
    found = {}
    for side in ("one", "other"):
        query = (
            "SELECT d.one, d.other, d.together, a.written, b.written FROM decisions AS d "
            f"JOIN names AS a ON a.id = d.one JOIN names AS b ON b.id = d.other WHERE d.{side}"
        )
        for one, other, together, name, opposite in database.select_among(query, list(names)):
            rule = MERGED if together else SPLIT
            found[one, other] = Reason(rule, name, opposite, bool(together))
    return [found[pair] for pair in sorted(found)]


def _links(database: Database, names: Collection[int]) -> list[Reason]:
    """What rules found; a link to a name that is not of the entity did not hold."""
    found = {}
    for side in ("one", "other"):
        query = (
            "SELECT l.one, l.other, l.rule, l.similarity, a.written, b.written FROM links AS l "
            f"JOIN names AS a ON a.id = l.one JOIN names AS b ON b.id = l.other WHERE l.{side}"
        )
        for one, other, rule, similarity, name, opposite in database.select_among(query, list(names)):
            together = one in names and other in names
            alike = round(similarity, 3) if rule == SIMILAR else None
            found[one, other, rule] = Reason(rule, name, opposite, together, alike)
    return [found[key] for key in sorted(found)]


def _in_documents(database: Database, names: Collection[int]) -> list[Reason]:
    """The short names and acronyms that mean it, with how many documents say so."""
    counts: dict[tuple[str, str, str], set[int]] = {}
    # By key, as in a search: where PostgreSQL joins, it reads all names.
    query = "SELECT rule, name, means, document FROM entity_mentions WHERE name <> means AND means"
    rows = database.select_among(query, list(names))
    written: dict[int, str] = dict(
        database.select_among(
            "SELECT id, written FROM names WHERE id", list({name for _, *pair, _ in rows for name in pair})
        )
    )
    for rule, short, full, document in rows:
        if short in written and full in written:  # else another has just taken it away
            counts.setdefault((rule, written[short], written[full]), set()).add(document)
    first = {min(documents) for documents in counts.values()}
    name: dict[int, str] = dict(
        database.select_among("SELECT id, name FROM documents WHERE id", sorted(first))
    )
    return [
        Reason(*key, True, documents=len(documents), document=name.get(min(documents)))
        for key, documents in sorted(counts.items(), key=lambda item: (-len(item[1]), item[0]))
    ]
