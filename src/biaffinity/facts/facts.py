"""`Facts`: a store that answers questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path as FilePath

from biaffinity.facts.answers import (
    About,
    Entity,
    Evidence,
    Fact,
    Found,
    Path,
    Summary,
    Text,
    Top,
    Updated,
    Why,
)
from biaffinity.store import Database


class Facts:
    """Entities and facts over the mentions of a store; use it as a context, in one thread.

    Where an entity is asked for, its id or a name of it will do. A name that no entity has, or several have
    (then ``type`` tells which is meant), is a `UsageError` that names the nearest ones.
    Times are ISO 8601 (``2026-11-16``, or with the hour); ``since`` and ``until`` keep facts that were last
    stated since the one and first stated until the other. ``sentences`` is how many of each fact's evidence
    come with it.
    """

    def __init__(self, database: Database) -> None:
        self.database = database

    # What changes the store

    def update(
        self, *, aliases: FilePath | None = None, progress: Callable[[int, int], None] | None = None
    ) -> Updated:
        """Read what was added, replaced or removed since the last time.

        ``aliases`` is a file of names that mean the same, kept in the store until another takes its place;
        ``progress`` is told how many of how many documents are done.
        """
        raise NotImplementedError

    def merge(self, one: int | str, other: int | str, *, type: str | None = None) -> Entity:
        """Make two entities of one type one, for good; the entity that they are now."""
        raise NotImplementedError

    def split(self, entity: int | str, name: int | str, *, type: str | None = None) -> tuple[Entity, Entity]:
        """Take a name (its text, or the id that `why` tells) out of an entity, for good: what is left, and
        the entity of that name."""
        raise NotImplementedError

    # Questions

    def summary(self) -> Summary:
        """What the store holds."""
        raise NotImplementedError

    def search(self, text: str, *, type: str | None = None, limit: int = 20, offset: int = 0) -> list[Found]:
        """Entities by a name, part of one, or one with a typing error; best first."""
        raise NotImplementedError

    def entity(self, entity: int | str, *, type: str | None = None) -> Entity:
        """One entity by its id or a name."""
        raise NotImplementedError

    def about(
        self,
        entity: int | str,
        *,
        type: str | None = None,
        relation: str | None = None,
        min_score: float = 0.0,
        since: str | None = None,
        until: str | None = None,
        limit: int = 20,
        sentences: int = 1,
    ) -> About:
        """An entity with its facts grouped by relation, at most ``limit`` of each group."""
        raise NotImplementedError

    def find(
        self,
        *,
        head: int | str | None = None,
        relation: str | None = None,
        tail: int | str | None = None,
        entity: int | str | None = None,
        min_score: float = 0.0,
        since: str | None = None,
        until: str | None = None,
        limit: int = 20,
        offset: int = 0,
        sentences: int = 1,
    ) -> list[Fact]:
        """Facts by head, relation and tail, as many of them as are given; ``entity``: as head or as tail."""
        raise NotImplementedError

    def fact(self, fact: int, *, sentences: int = 1) -> Fact:
        """One fact by its id."""
        raise NotImplementedError

    def evidence(self, fact: int, *, limit: int = 20, offset: int = 0) -> list[Evidence]:
        """The sentences that state a fact, best first."""
        raise NotImplementedError

    def path(
        self,
        start: int | str,
        end: int | str,
        *,
        longest: int = 4,
        min_score: float = 0.0,
        sentences: int = 1,
    ) -> Path:
        """A shortest way between two entities, of at most ``longest`` facts."""
        raise NotImplementedError

    def top(
        self,
        *,
        type: str | None = None,
        relation: str | None = None,
        limit: int = 10,
        sentences: int = 1,
    ) -> Top:
        """The entities (of a type) and the facts (of a relation) that the most documents speak of."""
        raise NotImplementedError

    def why(self, entity: int | str, *, type: str | None = None) -> Why:
        """What made an entity of its names."""
        raise NotImplementedError

    def text(self, document: str) -> Text:
        """A document by its name, with the entities that it mentions."""
        raise NotImplementedError

    # All there is, for exports

    def entities(self) -> Iterator[Entity]:
        """Every entity, by id."""
        raise NotImplementedError

    def facts(self, *, min_score: float = 0.0, sentences: int = 0) -> Iterator[Fact]:
        """Every fact, by id."""
        raise NotImplementedError

    def close(self) -> None:
        """Leave the store."""
        self.database.close()

    def __enter__(self) -> Facts:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
