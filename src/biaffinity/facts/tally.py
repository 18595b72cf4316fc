"""How often facts are stated: counted up as documents come, counted anew where something was taken away."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from biaffinity.facts.entities import Change, change_entities
from biaffinity.store.database import Database

_IDS = {"id": "{whole}"}
_KEY = {"head": "{whole}", "type": "TEXT", "tail": "{whole}"}
_COUNTS = {
    "mentions": "{whole}",
    "documents": "{whole}",
    "best": "{number}",
    "doubt": "{number}",
    "first_document": "{whole}",
    "first_time": "{moment}",
    "last_document": "{whole}",
    "last_time": "{moment}",
}
# Smaller ones are not told from none, and PostgreSQL makes an error of a product that is too small.
_LEAST_DOUBT = 1e-100

Key = tuple[int, str, int]


class Said(NamedTuple):
    """A relation mention between two entities; ``time`` is that of its document, as the database has it."""

    id: int
    head: int
    type: str
    tail: int
    score: float | None
    document: int
    time: Any


@dataclass(slots=True)
class Tally:
    """What some documents say for a fact."""

    mentions: int = 0
    documents: int = 0
    best: float | None = None
    doubt: float = 1.0
    first: tuple[Any, int] | None = None
    last: tuple[Any, int] | None = None

    def add(self, mentions: int, best: float | None, document: int, time: Any) -> None:
        """Count a document in."""
        self.mentions += mentions
        self.documents += 1
        if best is not None:
            self.best = best if self.best is None else max(best, self.best)
            self.doubt = max(self.doubt * (1 - min(best, 1.0)), _LEAST_DOUBT)
        when = (time, document)
        self.first = when if self.first is None else min(when, self.first)
        self.last = when if self.last is None else max(when, self.last)

    def row(self) -> tuple[Any, ...]:
        """The cells of `_COUNTS`."""
        assert self.first is not None
        assert self.last is not None
        times = (self.first[1], self.first[0], self.last[1], self.last[0])
        return (self.mentions, self.documents, self.best, self.doubt, *times)


def state(database: Database, said: Sequence[Said]) -> None:
    """Count in what documents say that said nothing of the same facts before."""
    tallies = _tallies(((each.head, each.type, each.tail), each) for each in said)
    keys = _keys(database, tallies)
    new = sorted(key for key in tallies if key not in keys)  # as its largest index has them
    keys |= zip(new, database.reserve("facts", len(new)), strict=True)
    columns = ["id", *_KEY, *_COUNTS, "score"]
    rows = ((keys[key], *key, *tallies[key].row(), 1 - tallies[key].doubt) for key in new)
    database.insert("facts", columns, rows)
    known = tallies.keys() - new
    _add_to(database, ((keys[key], *tallies[key].row()) for key in known))
    database.insert(
        "fact_mentions",
        ["relation_mention", "fact", "document", "score"],
        (
            (
                each.id,
                keys[each.head, each.type, each.tail],
                each.document,
                -1 if each.score is None else each.score,
            )
            for each in said
        ),
    )
    _count_of_entities(database, new, 1)


def take_back(database: Database, documents: Collection[int]) -> set[int]:
    """Forget what documents had said; the facts that are to be counted anew."""
    among = list(documents)
    facts = {
        fact for (fact,) in database.select_among("SELECT fact FROM fact_mentions WHERE document", among)
    }
    if facts:
        database.change_among("DELETE FROM fact_mentions WHERE document", among)
    return facts


def move(database: Database, names: Collection[int], renamed: Mapping[int, int]) -> None:
    """Follow names that are of other entities now.

    The facts of entities that are only called by another id, as ``renamed`` tells, stay what they are;
    statements about ``names`` are given, one by one, to the facts that they are of now.
    """
    database.scratch("moved", _IDS, ((name,) for name in names))
    about = (
        "SELECT r.id FROM moved CROSS JOIN entity_mentions AS m CROSS JOIN relation_mentions AS r "
        "WHERE m.means = moved.id AND m.mention"
    )
    rows = database.select(f"{about} = r.head UNION {about} = r.tail")
    ids = [id for (id,) in rows]
    before = _facts_of_mentions(database, ids)
    database.change_among("DELETE FROM fact_mentions WHERE relation_mention", ids)
    # Nothing states what was said of an entity whose id another takes; its facts are to make room.
    taken = [id for id in renamed.values() if id not in renamed]
    for role in ("head", "tail"):
        before |= {id for (id,) in database.select_among(f"SELECT id FROM facts WHERE {role}", taken)}
    count_again(database, before)
    _rename(database, renamed)
    database.scratch("stated", _IDS, rows)
    said = database.select(
        "SELECT r.id, head.entity, r.type, tail.entity, r.score, r.document, documents.added "
        "FROM stated CROSS JOIN relation_mentions AS r CROSS JOIN documents "
        "CROSS JOIN entity_mentions AS h CROSS JOIN names AS head "
        "CROSS JOIN entity_mentions AS t CROSS JOIN names AS tail "
        "WHERE r.id = stated.id AND documents.id = r.document "
        "AND h.mention = r.head AND head.id = h.means AND t.mention = r.tail AND tail.id = t.means"
    )
    state(database, [Said(*row) for row in said])
    # A document that states such a fact may have stated it before, under another name.
    count_again(database, _facts_of_mentions(database, ids))


def _facts_of_mentions(database: Database, ids: Sequence[int]) -> set[int]:
    query = "SELECT fact FROM fact_mentions WHERE relation_mention"
    return {fact for (fact,) in database.select_among(query, ids)}


def _rename(database: Database, renamed: Mapping[int, int]) -> None:
    """Call entities by other ids in their facts; two may change places, so it goes by way of negative ids."""
    for role in ("head", "tail"):
        database.change_each(
            f"UPDATE facts SET {role} = ? WHERE {role} = ?", ((-to, id) for id, to in renamed.items())
        )
    for role in ("head", "tail"):
        if renamed:
            database.change(f"UPDATE facts SET {role} = -{role} WHERE {role} < 0")


def count_again(database: Database, facts: Collection[int]) -> None:
    """Count facts from all that states them; those that nothing states any more are gone."""
    if not facts:
        return
    database.scratch("counted", _IDS, ((fact,) for fact in facts))
    rows = database.select(
        "SELECT m.fact, m.document, count(*), max(m.score), documents.added FROM counted "
        "CROSS JOIN fact_mentions AS m CROSS JOIN documents "
        "WHERE m.fact = counted.id AND documents.id = m.document "
        "GROUP BY m.fact, m.document, documents.added ORDER BY m.fact, m.document"
    )
    tallies: dict[int, Tally] = {}
    for fact, document, mentions, best, time in rows:
        tallies.setdefault(fact, Tally()).add(mentions, None if best < 0 else best, document, time)
    database.scratch("counts", {**_IDS, **_COUNTS}, ((fact, *tally.row()) for fact, tally in tallies.items()))
    cells = ", ".join(f"{column} = counts.{column}" for column in _COUNTS)
    database.change(
        f"UPDATE facts SET {cells}, score = 1 - counts.doubt FROM counts WHERE facts.id = counts.id"
    )
    gone = [fact for fact in facts if fact not in tallies]
    keys = database.select_among("SELECT head, type, tail FROM facts WHERE id", gone)
    database.change_among("DELETE FROM facts WHERE id", gone)
    _count_of_entities(database, keys, -1)


def _tallies(said: Iterable[tuple[Key, Said]]) -> dict[Key, Tally]:
    """For each fact what is said for it, document by document."""
    documents: dict[tuple[Key, int], list[Any]] = {}
    for key, each in said:
        cells = documents.setdefault((key, each.document), [0, None, each.time])
        cells[0] += 1
        if each.score is not None and (cells[1] is None or each.score > cells[1]):
            cells[1] = each.score
    tallies: dict[Key, Tally] = {}
    for (key, document), (mentions, best, time) in documents.items():
        tallies.setdefault(key, Tally()).add(mentions, best, document, time)
    return tallies


def _keys(database: Database, keys: Collection[Key]) -> dict[Key, int]:
    """The ids of those facts that are there."""
    database.scratch("wanted", _KEY, keys)
    rows = database.select(
        "SELECT facts.head, facts.type, facts.tail, facts.id FROM wanted CROSS JOIN facts "
        "WHERE facts.head = wanted.head AND facts.type = wanted.type AND facts.tail = wanted.tail"
    )
    return {(head, type, tail): id for head, type, tail, id in rows}


def _add_to(database: Database, rows: Iterable[tuple[Any, ...]]) -> None:
    """Add counts to those of facts that are there."""
    database.scratch("more", {**_IDS, **_COUNTS}, rows)
    earlier = _before("more.first_time", "more.first_document", "facts.first_time", "facts.first_document")
    later = _before("facts.last_time", "facts.last_document", "more.last_time", "more.last_document")
    doubt = f"CASE WHEN facts.doubt < {_LEAST_DOUBT} THEN facts.doubt ELSE facts.doubt * more.doubt END"
    database.change(
        "UPDATE facts SET mentions = facts.mentions + more.mentions, "
        f"documents = facts.documents + more.documents, doubt = {doubt}, score = 1 - {doubt}, "
        "best = CASE WHEN facts.best IS NULL OR more.best > facts.best THEN more.best ELSE facts.best END, "
        f"first_document = {earlier('first_document')}, first_time = {earlier('first_time')}, "
        f"last_document = {later('last_document')}, last_time = {later('last_time')} "
        "FROM more WHERE facts.id = more.id"
    )


def _before(time: str, document: str, other_time: str, other_document: str) -> Callable[[str], str]:
    """What a column becomes: the new value if (time, document) comes before (other time, other document)."""
    test = f"{time} < {other_time} OR ({time} = {other_time} AND {document} < {other_document})"
    return lambda column: f"CASE WHEN {test} THEN more.{column} ELSE facts.{column} END"


def _count_of_entities(database: Database, keys: Iterable[Sequence[Any]], sign: int) -> None:
    """So many facts more or less for the entities of facts."""
    changes: dict[int, Change] = {}
    for head, _, tail in keys:
        for entity in {head, tail}:
            changes.setdefault(entity, Change()).facts += sign
    change_entities(database, changes)
