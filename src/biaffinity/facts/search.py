"""Entities by name: just as it is, by beginnings of its words, by words with typing errors."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from biaffinity.errors import MissingExtraError, UsageError
from biaffinity.facts.answers import Entity, Found
from biaffinity.facts.entities import entities_of
from biaffinity.facts.index import NameIndex
from biaffinity.facts.names import normal_form
from biaffinity.facts.rows import entities
from biaffinity.store.database import Database

_CANDIDATES = 2_000  # names that are compared with what is looked for
_WORDS = 40  # words that are compared with one that nothing begins with
_CORRECTIONS = 5  # of one word
_LEAST = 60.0  # how alike a word and its correction must be, of 100
#: Of two entities of one name that one is meant which so many times as many documents speak of. A model that
#: once took a firm for a place makes a second entity, which should not stand in the way.
_BY_FAR = 5


def search(
    database: Database, index: NameIndex, text: str, type: str | None, limit: int, offset: int
) -> list[Found]:
    """Entities whose names are like a text, the most alike first, of equals the most mentioned."""
    normal = normal_form(text)
    if not normal:
        raise UsageError("there is nothing to look for", remedy="give a name, or part of one")
    wanted = limit + offset
    found = _found(database, _exactly(database, normal), normal, type)
    words = [[word] for word in normal.split()[:10]]
    if len(found) < wanted:
        found |= _found(database, index.names(words, _CANDIDATES), normal, type)
    if len(found) < wanted:
        corrected = [[word, *_corrections(index, word)] for (word,) in words]
        if corrected != words:
            more = _found(database, index.names(corrected, _CANDIDATES), normal, type)
            found = more | found
    ranked = sorted(
        found.values(), key=lambda each: (-round(each.similarity, 2), -each.entity.documents, each.entity.id)
    )
    return ranked[offset : offset + limit]


def named(database: Database, index: NameIndex, name: str, type: str | None) -> Entity:
    """The one entity of a name, or the one that is meant by far; else an error names the nearest."""
    normal = normal_form(name)
    found = _found(database, _exactly(database, normal), normal, type) if normal else {}
    if len(found) == 1:
        return next(iter(found.values())).entity
    if found:
        called = sorted(found.values(), key=lambda each: -each.entity.documents)
        if called[0].entity.documents >= _BY_FAR * called[1].entity.documents:
            return called[0].entity
        raise UsageError(
            f"{len(found)} entities are called {name!r:.60}: {_listed(called)}",
            remedy="say which by its type or its id",
        )
    near = search(database, index, name, type, 3, 0) if normal else []
    raise UsageError(
        f"no entity is called {name!r:.60}",
        remedy=f"the nearest are {_listed(near)}" if near else "biaffinity facts search finds parts of names",
    )


def _listed(found: Sequence[Found]) -> str:
    some = ", ".join(f"#{each.entity.id} {each.entity.name} ({each.entity.type})" for each in found[:5])
    return f"{some}, ..." if len(found) > 5 else some


def _exactly(database: Database, normal: str) -> list[int]:
    return [id for (id,) in database.select("SELECT id FROM names WHERE normal = ?", [normal])]


def _found(database: Database, names: Sequence[int], normal: str, type: str | None) -> dict[int, Found]:
    """The entities that names are of, by id, each under the name that is most like what is looked for."""
    # By key, step by step: where PostgreSQL joins, it expects far too many short names and reads all names.
    query = "SELECT id, normal, written, type, entity, mentions FROM names WHERE id"
    rows = {id: cells for id, *cells in database.select_among(query, names)}
    called = [(name, entity) for name, (*_, entity, mentions) in rows.items() if mentions > 0]
    # A short name or an acronym is of those whom it meant.
    query = "SELECT DISTINCT name, means FROM entity_mentions WHERE name <> means AND name"
    short = database.select_among(query, names)
    meant = entities_of(database, {means for _, means in short})
    # Whoever changes the store at this very moment may have taken one of them away.
    called += [(name, meant[means]) for name, means in short if name in rows and means in meant]
    best: dict[int, tuple[float, str]] = {}
    ratio = _ratio()
    for name, entity in called:
        other, written, its_type, *_ = rows[name]
        if type is None or its_type == type:
            mine = (ratio(normal, other), written)
            best[entity] = max(mine, best.get(entity, mine))
    there = entities(database, list(best))
    return {
        id: Found(entity, best[id][1], round(best[id][0] / 100, 4))
        for id, entity in there.items()
        if entity.mentions > 0
    }


def _corrections(index: NameIndex, word: str) -> list[str]:
    """Words that a word may be meant for."""
    similar = [(-_ratio()(word, other), other) for other in index.similar_words(word, _WORDS)]
    return [other for ratio, other in sorted(similar) if ratio <= -_LEAST and other != word][:_CORRECTIONS]


def _ratio() -> Any:
    """RapidFuzz's measure of how alike two texts are, from 0 to 100, parts of them included."""
    try:
        return import_module("rapidfuzz.fuzz").WRatio
    except ModuleNotFoundError as error:
        raise MissingExtraError("searching for names", "facts") from error
