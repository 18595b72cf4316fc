"""`Facts`: a store that answers questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path as FilePath

from biaffinity.errors import UsageError
from biaffinity.facts import decisions, questions, reasons, rows
from biaffinity.facts.aliases import read_aliases, set_aliases
from biaffinity.facts.answers import (
    About,
    Counted,
    Entity,
    Evidence,
    Fact,
    Found,
    Mentioned,
    Path,
    Summary,
    Text,
    Top,
    Updated,
    Why,
)
from biaffinity.facts.index import index_of
from biaffinity.facts.path import shortest
from biaffinity.facts.search import named, search
from biaffinity.facts.update import update, waiting
from biaffinity.store import Database

_AT_ONCE = 1000  # rows that an export reads at a time


class Facts:
    """Entities and facts over the mentions of a store; use it as a context, in one thread.

    Where an entity is asked for, its id or a name of it will do; ``"#12"`` is the id 12 too. Of several
    entities of a name that one is meant which by far the most documents speak of; where there is none such,
    or none of that name, a `UsageError` names some, and ``type`` tells which is meant.
    Times are ISO 8601 (``2026-11-16``, or with the hour); ``since`` and ``until`` keep facts that were last
    stated since the one and first stated until the other. ``sentences`` is how many of each fact's evidence
    come with it.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self._index = index_of(database)

    # What changes the store

    def update(
        self, *, aliases: FilePath | None = None, progress: Callable[[int, int], None] | None = None
    ) -> Updated:
        """Read what was added, replaced or removed since the last time.

        ``aliases`` is a file of names that mean the same, kept in the store until another takes its place;
        ``progress`` is told how many of how many documents are done.
        """
        if aliases is not None:
            told = read_aliases(aliases)
            with self.database.transaction(alone=True):
                set_aliases(self.database, told)
        return Updated(*update(self.database, progress))

    def merge(self, one: int | str, other: int | str, *, type: str | None = None) -> Entity:
        """Make two entities of one type one, for good; the entity that they are now."""
        with self.database.transaction(alone=True):
            first = self.entity(one, type=type)
            decisions.merge(self.database, first, self.entity(other, type=type))
            return self.entity(first.id)

    def split(self, entity: int | str, name: int | str, *, type: str | None = None) -> tuple[Entity, Entity]:
        """Take a name (its text, or the id that `why` tells) out of an entity, for good.

        What is left of it, and the entity of that name.
        """
        with self.database.transaction(alone=True):
            left, out = decisions.split(self.database, self.entity(entity, type=type), name)
            return self.entity(left), self.entity(out)

    # Questions

    def summary(self) -> Summary:
        """What the store holds."""
        kinds = "SELECT type, count(*) FROM entities WHERE mentions > 0 GROUP BY type ORDER BY 2 DESC, 1"
        relations = "SELECT type, count(*) FROM facts GROUP BY type ORDER BY 2 DESC, 1"
        types = tuple(Counted(*row) for row in self.database.select(kinds))
        told = tuple(Counted(*row) for row in self.database.select(relations))
        counts = (sum(each.count for each in types), sum(each.count for each in told))
        documents = int(self.database.select("SELECT count(*) FROM documents")[0][0])
        return Summary(documents, *counts, waiting(self.database), types, told)

    def waiting(self) -> int:
        """How many documents were added, replaced or removed since the last update."""
        return waiting(self.database)

    def search(self, text: str, *, type: str | None = None, limit: int = 20, offset: int = 0) -> list[Found]:
        """Entities by a name, part of one, or one with a typing error; best first."""
        questions.require_page(limit, offset)
        return search(self.database, self._index, text, type, limit, offset)

    def entity(self, entity: int | str, *, type: str | None = None) -> Entity:
        """One entity by its id or a name."""
        entity = rows.key_given(entity)
        if isinstance(entity, str):
            return named(self.database, self._index, entity, type)
        found = []
        if 0 < entity < 1 << 63:
            query = "SELECT entity FROM names WHERE id = ?"
            found = [row[0] for row in self.database.select(query, [entity])]
        there = rows.entities(self.database, found)
        if not there:
            raise UsageError(
                f"no entity has the id {entity}", remedy="biaffinity facts search finds them by name"
            )
        return there[found[0]]

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
        questions.require_page(limit)
        passing = questions.Filter(relation, min_score, since, until)
        return questions.about(self.database, self.entity(entity, type=type), passing, limit, sentences)

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
        questions.require_page(limit, offset)
        passing = questions.Filter(relation, min_score, since, until)
        sides = {"head": head, "tail": tail}
        wanted = {role: self.entity(who).id for role, who in sides.items() if who is not None}
        either = None if entity is None else self.entity(entity).id
        ids = questions.find(self.database, wanted, either, passing, limit, offset)
        return rows.facts(self.database, ids, sentences)

    def fact(self, fact: int, *, sentences: int = 1) -> Fact:
        """One fact by its id."""
        found = rows.facts(self.database, [fact], sentences) if 0 < fact < 1 << 63 else []
        if not found:
            raise UsageError(f"no fact has the id {fact}", remedy="biaffinity facts find finds them")
        return found[0]

    def evidence(self, fact: int, *, limit: int = 20, offset: int = 0) -> list[Evidence]:
        """The sentences that state a fact, best first."""
        questions.require_page(limit, offset)
        return rows.evidence(self.database, self.fact(fact, sentences=0).id, limit, offset)

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
        if not 1 <= longest <= 10:
            raise UsageError(f"a way of {longest} facts cannot be looked for", remedy="name 1 to 10")
        questions.Filter(min_score=min_score)
        one, other = self.entity(start), self.entity(end)
        way, complete = shortest(self.database, one.id, other.id, longest, min_score)
        told = rows.facts(self.database, way or [], sentences)
        return Path(one, other, tuple(told), way is not None, complete)

    def top(
        self,
        *,
        type: str | None = None,
        relation: str | None = None,
        limit: int = 10,
        sentences: int = 1,
    ) -> Top:
        """The entities (of a type) and the facts (of a relation) that the most documents speak of."""
        questions.require_page(limit)
        most = questions.most_documents(self.database, "entities", type, limit)
        there = rows.entities(self.database, most)
        found = tuple(there[id] for id in most if id in there and there[id].mentions > 0)
        ids = questions.most_documents(self.database, "facts", relation, limit)
        return Top(found, tuple(rows.facts(self.database, ids, sentences)))

    def why(self, entity: int | str, *, type: str | None = None) -> Why:
        """What made an entity of its names."""
        return reasons.why(self.database, self.entity(entity, type=type))

    def text(self, document: str) -> Text:
        """A document by its name, with the entities that it mentions."""
        found = self.database.select(
            "SELECT d.id, d.name, d.added, models.name, d.text FROM documents AS d "
            "JOIN models ON models.id = d.model WHERE d.name = ?",
            [document],
        )
        if not found:
            raise UsageError(f"no document is called {document!r:.80}", remedy="check its name")
        key, name, added, model, text = found[0]
        mentions = self.database.select(
            "SELECT m.start_char, m.end_char, names.entity, m.type FROM mentions AS m "
            "JOIN entity_mentions AS e ON e.mention = m.id JOIN names ON names.id = e.means "
            "WHERE m.document = ? ORDER BY m.start_char, m.end_char",
            [key],
        )
        return Text(name, rows.moment(added), model, text, tuple(Mentioned(*row) for row in mentions))

    # All there is, for exports

    def entities(self) -> Iterator[Entity]:
        """Every entity, by id."""
        last = 0
        query = (
            f"SELECT {rows.ENTITY} FROM entities WHERE id > ? AND mentions > 0 ORDER BY id LIMIT {_AT_ONCE}"
        )
        while found := self.database.select(query, [last]):
            yield from (Entity(*row) for row in found)
            last = found[-1][0]

    def facts(self, *, min_score: float = 0.0, sentences: int = 0) -> Iterator[Fact]:
        """Every fact, by id."""
        last = 0
        query = f"SELECT id FROM facts WHERE id > ? AND score >= ? ORDER BY id LIMIT {_AT_ONCE}"
        while ids := [id for (id,) in self.database.select(query, [last, min_score])]:
            yield from rows.facts(self.database, ids, sentences)
            last = ids[-1]

    def close(self) -> None:
        """Leave the store."""
        self.database.close()

    def __enter__(self) -> Facts:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
