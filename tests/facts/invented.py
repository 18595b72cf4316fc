"""Invented documents for a store, written as short as can be, and a store as something to compare."""

from __future__ import annotations

from typing import Any

from biaffinity.facts import Facts
from biaffinity.store import Database, open_store
from biaffinity.store.documents import DocumentWriter, StoredDocument

Relation = tuple[str, int, int, float | None]


def document(name: str, text: str, *relations: Relation) -> StoredDocument:
    """A document of one sentence; ``[Paul Okafor/Peop]`` in its text is a mention.

    A relation is (type, head, tail, score); head and tail count the mentions from 0.
    """
    plain, mentions = "", []
    for piece in text.split("["):
        marked, bracket, rest = piece.partition("]")
        if bracket:
            mention, _, type = marked.rpartition("/")
            mentions.append((mention, type, len(plain), len(plain) + len(mention), 0.9))
            plain += mention + rest
        else:
            plain += piece
    rows = [(type, head, tail, score, 0, len(plain)) for type, head, tail, score in relations]
    return StoredDocument(name, plain, mentions, rows)


def write(store: str, *documents: StoredDocument) -> None:
    """Put documents into a store."""
    with open_store(store) as database, database.transaction():
        DocumentWriter(database, "m", {}).write(documents)


def remove(store: str, *names: str) -> None:
    """Take documents out of a store, as a user would."""
    with open_store(store) as database, database.transaction():
        for name in names:
            database.change("DELETE FROM documents WHERE name = ?", [name])


def names(database: Database) -> dict[int, frozenset[tuple[str, str]]]:
    """The names of each entity, normal form and type."""
    found: dict[int, set[tuple[str, str]]] = {}
    for entity, normal, type in database.select("SELECT entity, normal, type FROM names"):
        found.setdefault(entity, set()).add((normal, type))
    return {entity: frozenset(own) for entity, own in found.items()}


def everything(facts: Facts) -> tuple[Any, ...]:
    """All that a store has gathered, without its keys."""
    own = names(facts.database)
    entities = {own[e.id]: (e.name, e.type, e.mentions, e.documents, e.facts) for e in facts.entities()}
    told = {
        (own[f.head.id], f.relation, own[f.tail.id]): (
            f.mentions,
            f.documents,
            f.best,
            f.score,
            f.first_document,
            f.last_document,
            sorted(f"{e.document} {e.sentence} {e.score}" for e in facts.evidence(f.id, limit=1000)),
        )
        for f in facts.facts()
    }
    return entities, told


NEWS = (
    document(
        "a",
        "[Paul Okafor/Peop] runs [the Norvik Oil Company/Org] ([NOC/Org]). "
        "[Okafor/Peop] lives in [Solund/Loc].",
        ("Work_For", 0, 1, 0.8),
        ("Work_For", 0, 2, 0.5),
        ("Live_In", 3, 4, 0.6),
    ),
    document(
        "b",
        "[PAUL OKAFOR/Peop] left [Norvik Oil Ltd./Org] for [Harrow/Org] in [Solund/Loc].",
        ("Work_For", 0, 1, 0.5),
        ("Work_For", 0, 2, 0.85),
        ("OrgBased_In", 2, 3, 0.4),
    ),
    document(
        "c", "[Salima Mourad/Peop], or [Salima Murad/Peop], lives in [Solund/Loc].", ("Live_In", 1, 2, 0.7)
    ),
    document("d", "[Tove Lind/Peop] works for [Solund/Org].", ("Work_For", 0, 1, None)),
)
