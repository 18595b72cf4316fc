"""Rows of a store as answers: entities, facts with names in place of keys, sentences."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from biaffinity.errors import UsageError
from biaffinity.facts.answers import Entity, Evidence, Fact, Span
from biaffinity.store.database import Database

ENTITY = "id, name, type, mentions, documents, facts"
_FACT = (
    "SELECT f.id, f.type, f.mentions, f.documents, f.best, f.score, f.first_time, f.last_time, "
    "first.name, last.name, "
    "head.id, head.name, head.type, head.mentions, head.documents, head.facts, "
    "tail.id, tail.name, tail.type, tail.mentions, tail.documents, tail.facts "
    "FROM facts AS f JOIN entities AS head ON head.id = f.head JOIN entities AS tail ON tail.id = f.tail "
    "LEFT JOIN documents AS first ON first.id = f.first_document "
    "LEFT JOIN documents AS last ON last.id = f.last_document WHERE f.id"
)
_EVIDENCE = (
    "SELECT r.id, d.name, d.added, substr(d.text, r.sentence_start + 1, r.sentence_end - r.sentence_start), "
    "r.sentence_start, h.start_char, h.end_char, t.start_char, t.end_char, r.score "
    "FROM relation_mentions AS r JOIN documents AS d ON d.id = r.document "
    "JOIN mentions AS h ON h.id = r.head JOIN mentions AS t ON t.id = r.tail WHERE r.id"
)
_ORDER = "ORDER BY m.score DESC, m.relation_mention DESC"
_PRECISION = 6


def entities(database: Database, ids: Sequence[int]) -> dict[int, Entity]:
    """Entities by their ids; those that are there."""
    rows = database.select_among(f"SELECT {ENTITY} FROM entities WHERE id", list(ids))
    return {row[0]: Entity(*row) for row in rows}


def names(database: Database, entity: int) -> tuple[str, ...]:
    """The names of an entity, most meant first; then those that mean it in some documents alone."""
    query = "SELECT id, written FROM names WHERE entity = ? ORDER BY mentions DESC, id"
    own: dict[int, str] = dict(database.select(query, [entity]))
    query = "SELECT DISTINCT name FROM entity_mentions WHERE name <> means AND means"
    short = {name for (name,) in database.select_among(query, list(own))}
    rows = database.select_among("SELECT -borne, id, written FROM names WHERE id", list(short))
    return tuple(dict.fromkeys([*own.values(), *(written for *_, written in sorted(rows))]))


def facts(database: Database, ids: Sequence[int], sentences: int) -> list[Fact]:
    """Facts by their ids, in that order, each with its best sentences."""
    evidence = best_evidence(database, ids, sentences)
    found = {}
    for row in database.select_among(_FACT, list(ids)):
        id, relation, mentions, documents, best, score, first, last, first_name, last_name = row[:10]
        found[id] = Fact(
            id,
            Entity(*row[10:16]),
            relation,
            Entity(*row[16:]),
            mentions,
            documents,
            None if best is None else round(best, _PRECISION),
            None if best is None else round(score, _PRECISION),
            first_name or "",
            moment(first),
            last_name or "",
            moment(last),
            tuple(evidence.get(id, ())),
        )
    return [found[id] for id in ids if id in found]


def best_evidence(database: Database, ids: Sequence[int], sentences: int) -> dict[int, list[Evidence]]:
    """The best sentences of facts: as many of each."""
    if sentences < 1 or not ids:
        return {}
    of_fact: dict[int, list[int]] = {}
    # A subquery for each rank reads no more of a fact than its best mentions, however many it has.
    ranks = ", ".join(
        "(SELECT m.relation_mention FROM fact_mentions AS m "
        f"WHERE m.fact = f.id {_ORDER} LIMIT 1 OFFSET {rank})"
        for rank in range(sentences)
    )
    for id, *mentions in database.select_among(f"SELECT f.id, {ranks} FROM facts AS f WHERE f.id", list(ids)):
        of_fact[id] = [mention for mention in mentions if mention is not None]
    shown = _evidence(database, [mention for mentions in of_fact.values() for mention in mentions])
    return {id: [shown[each] for each in mentions if each in shown] for id, mentions in of_fact.items()}


def evidence(database: Database, fact: int, limit: int, offset: int) -> list[Evidence]:
    """The sentences of one fact, best first."""
    rows = database.select(
        f"SELECT m.relation_mention FROM fact_mentions AS m WHERE m.fact = ? {_ORDER} LIMIT ? OFFSET ?",
        [fact, limit, offset],
    )
    mentions = [mention for (mention,) in rows]
    shown = _evidence(database, mentions)
    return [shown[mention] for mention in mentions if mention in shown]


def _evidence(database: Database, mentions: Sequence[int]) -> dict[int, Evidence]:
    """Relation mentions as evidence; one whose document was replaced a moment ago is not there."""
    found = {}
    for id, document, added, sentence, start, *places, score in database.select_among(_EVIDENCE, mentions):
        head, tail = (Span(places[n] - start, places[n + 1] - start) for n in (0, 2))
        score = None if score is None else round(score, _PRECISION)
        found[id] = Evidence(id, document, moment(added), sentence, start, head, tail, score)
    return found


def moment(value: Any) -> str:
    """A moment as answers have it, in UTC: SQLite keeps just this text, PostgreSQL a time."""
    if isinstance(value, datetime):
        value = value.astimezone(timezone.utc).isoformat(timespec="seconds")
    return str(value)


def key_given(value: int | str) -> int | str:
    """An id that a user gave, or a name: ``#12`` is the id 12.

    >>> key_given("#12"), key_given(12), key_given("12"), key_given("#²")
    (12, 12, '12', '#²')
    """
    if isinstance(value, str) and value[:1] == "#" and value[1:].isascii() and value[1:].isdigit():
        return int(value[1:])
    return value


def time_given(text: str, option: str) -> str:
    """A time that a user gave, as it is compared; a day ends with its last second.

    >>> time_given("2026-11-16", "since"), time_given("2026-11-16", "until")
    ('2026-11-16T00:00:00+00:00', '2026-11-16T23:59:59+00:00')
    """
    try:
        time = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError as error:
        raise UsageError(
            f"{text!r:.40} is no time", where=option, remedy="write it so: 2026-11-16 or 2026-11-16T14:30"
        ) from error
    if option == "until" and len(text) <= len("2026-11-16"):
        time += timedelta(days=1, seconds=-1)
    if time.tzinfo is None:
        time = time.replace(tzinfo=timezone.utc)
    return time.astimezone(timezone.utc).isoformat(timespec="seconds")
