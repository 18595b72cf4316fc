"""Documents that came, changed or went since the last time, read into names, entities and facts.

It is done in short transactions of some thousand documents, each of which leaves everything in order: a kill
loses nothing but time, others read meanwhile, and two who do it at the same moment share the work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from biaffinity.facts.entities import (
    Change,
    Pair,
    add_entities,
    call_entities,
    change_entities,
    change_names,
    entities_of,
    names_of,
)
from biaffinity.facts.links import count_words, link_names, linked_by_words, regroup
from biaffinity.facts.names import as_written, normal_form
from biaffinity.facts.resolution.documents import OWN, InText, Meaning, meanings
from biaffinity.facts.resolution.similarity import blocks
from biaffinity.facts.tally import Said, count_again, state, take_back
from biaffinity.store.database import Database

_DOCUMENTS = 10_000  # of a transaction, at most
_MENTIONS = 100_000  # of a transaction, unless one document has more
_MUCH = 10  # a tenth of all documents


class Mention(NamedTuple):
    """A mention as it stands in the store."""

    id: int
    document: int
    text: str
    type: str
    start: int
    end: int
    normal: str


def waiting(database: Database) -> int:
    """How many documents have changed since the last update."""
    return int(database.select("SELECT count(DISTINCT document) FROM changed_documents")[0][0])


def update(database: Database, progress: Callable[[int, int], None] | None = None) -> tuple[int, int]:
    """Read all documents that have changed; how many these were, and their mentions."""
    total = waiting(database)
    if total > _DOCUMENTS:
        meet_names(database)
    done = mentions = 0
    while True:
        with database.transaction(alone=True):
            noted = _next_documents(database)
            mentions += read_documents(database, list(noted)) if noted else 0
            notes = [note for notes in noted.values() for note in notes]
            database.change_among("DELETE FROM changed_documents WHERE id", notes)
        if not noted:
            break
        done += len(noted)
        if progress is not None:
            progress(done, max(total, done))
    with database.transaction(alone=True):
        remove_empty(database)
    if _are_many(database, done):
        database.settle()
    return done, mentions


def _are_many(database: Database, documents: int) -> bool:
    """Whether so many documents are much of the store; it looks at no more of it than that takes."""
    enough = documents * _MUCH
    query = f"SELECT count(*) FROM (SELECT 1 FROM documents LIMIT {enough}) AS some_documents"
    return int(database.select(query)[0][0]) < enough


def meet_names(database: Database) -> None:
    """Make the names of all documents that have changed before any is read.

    Which words are rare is known then: what is read need not be taken apart again when a word no longer is.
    """
    last = 0
    while noted := _next_documents(database, after=last):
        with database.transaction(alone=True):
            _, new = _names_of(database, _mentions(database, list(noted)))
            regroup(database, link_names(database, new))
        last = noted[next(reversed(noted))][0]


def _next_documents(database: Database, after: int = 0) -> dict[int, list[int]]:
    """The documents of the next transaction, those that changed first, each with the notes that it did."""
    query = f"SELECT id, document FROM changed_documents WHERE id > ? ORDER BY id LIMIT {_DOCUMENTS}"
    noted: dict[int, list[int]] = {}
    for note, document in database.select(query, [after]):
        noted.setdefault(document, []).append(note)
    among = database.select_among("SELECT document FROM mentions WHERE document", list(noted))
    size = Counter(document for (document,) in among)
    taken: dict[int, list[int]] = {}
    mentions = 0
    for document, notes in noted.items():
        mentions += size[document]
        if taken and mentions > _MENTIONS:
            break
        taken[document] = notes
    return taken


def read_documents(database: Database, documents: Sequence[int]) -> int:
    """Put what documents say in the place of what they said before; how many mentions that is."""
    stale = _forget(database, documents)
    mentions = _mentions(database, documents)
    names, new = _names_of(database, mentions)
    regroup(database, link_names(database, new))
    rows = _meant(database, documents, mentions, names)
    entity = entities_of(database, {row[3] for row in rows})
    database.insert("entity_mentions", ["mention", "document", "name", "means", "rule"], rows)
    change_names(database, Counter(row[3] for row in rows), Counter(row[2] for row in rows))
    changes = _counted([(document, entity[means]) for _, document, _, means, _ in rows], 1)
    change_entities(database, changes)
    call_entities(database, changes)
    of_mention = {row[0]: entity[row[3]] for row in rows}
    state(database, _said(database, documents, of_mention))
    count_again(database, stale)
    return len(mentions)


def _forget(database: Database, documents: Sequence[int]) -> set[int]:
    """Take out what was read from documents before; the facts to be counted anew."""
    query = "SELECT m.document, m.name, m.means, names.entity FROM entity_mentions AS m "
    rows = database.select_among(query + "JOIN names ON names.id = m.means WHERE m.document", documents)
    if not rows:
        return set()
    database.change_among("DELETE FROM entity_mentions WHERE document", documents)
    meant: Counter[int] = Counter()
    borne: Counter[int] = Counter()
    meant.subtract(means for _, _, means, _ in rows)
    borne.subtract(name for _, name, _, _ in rows)
    change_names(database, meant, borne)
    changes = _counted([(document, entity) for document, _, _, entity in rows], -1)
    change_entities(database, changes)
    call_entities(database, changes)
    return take_back(database, documents)


def _counted(mentioned: Sequence[tuple[int, int]], sign: int) -> dict[int, Change]:
    """What mentions, (document, entity), change for entities."""
    changes: dict[int, Change] = {}
    for (_, entity), mentions in Counter(mentioned).items():
        change = changes.setdefault(entity, Change())
        change.mentions += sign * mentions
        change.documents += sign
    return changes


def _mentions(database: Database, documents: Sequence[int]) -> list[Mention]:
    """The mentions of documents that have a name, in the order of their keys."""
    query = "SELECT id, document, text, type, start_char, end_char FROM mentions WHERE document"
    rows = sorted(database.select_among(query, documents))
    normal = {text: normal_form(text) for text in {row[2] for row in rows}}
    return [Mention._make((*row, normal[row[2]])) for row in rows if normal[row[2]]]


def _names_of(database: Database, mentions: Sequence[Mention]) -> tuple[dict[Pair, int], dict[Pair, int]]:
    """The names that mentions bear, and those of them that are new: each an entity of its own as yet."""
    wanted: dict[Pair, str] = {}
    for each in mentions:
        wanted.setdefault((each.normal, each.type), each.text)
    known, new = names_of(database, {name: as_written(text) for name, text in wanted.items()})
    add_entities(database, ((id, as_written(wanted[name]), name[1]) for name, id in new.items()))
    return known | new, new


def _meant(
    database: Database,
    documents: Sequence[int],
    mentions: Sequence[Mention],
    names: Mapping[Pair, int],
) -> list[tuple[int, int, int, int, str]]:
    """Rows (mention, document, name, name that it means, rule)."""
    query = "SELECT id, text FROM documents WHERE text LIKE '%%(%%' AND id"
    texts: dict[int, str] = dict(database.select_among(query, documents))
    parted = {
        pair
        for one, other in database.select("SELECT one, other FROM decisions WHERE NOT together")
        for pair in ((one, other), (other, one))
    }
    by_document: dict[int, list[Mention]] = {}
    for each in mentions:
        by_document.setdefault(each.document, []).append(each)
    rows = []
    for document, own in by_document.items():
        found = meanings(
            texts.get(document),
            [InText(each.start, each.end, each.text, each.normal, each.type) for each in own],
            lambda type, one, other: (names[one, type], names[other, type]) in parted,
        )
        for each in own:
            means, rule = found.get((each.normal, each.type), Meaning(each.normal, OWN))
            rows.append((each.id, document, names[each.normal, each.type], names[means, each.type], rule))
    return rows


def _said(database: Database, documents: Sequence[int], of_mention: Mapping[int, int]) -> list[Said]:
    """What documents state, in the order of its keys."""
    times: dict[int, Any] = dict(database.select_among("SELECT id, added FROM documents WHERE id", documents))
    query = "SELECT id, head, type, tail, score, document FROM relation_mentions WHERE document"
    return [
        Said(id, of_mention[head], type, of_mention[tail], score, document, times[document])
        for id, head, type, tail, score, document in sorted(database.select_among(query, documents))
        # Whoever replaces a document at this very moment has it read again.
        if head in of_mention and tail in of_mention and document in times
    ]


def remove_empty(database: Database) -> None:
    """Remove entities that no text speaks of any more, unless a person has decided something of them."""
    rows = database.select(
        "SELECT id, normal, type FROM names WHERE mentions = 0 AND borne = 0 AND NOT EXISTS "
        "(SELECT 1 FROM names AS own WHERE own.entity = names.entity AND (own.mentions > 0 OR own.borne > 0 "
        "OR EXISTS (SELECT 1 FROM decisions WHERE one = own.id) "
        "OR EXISTS (SELECT 1 FROM decisions WHERE other = own.id)))"
    )
    if not rows:
        return
    names = [id for id, *_ in rows]
    linked: set[int] = set()
    for side, opposite in (("one", "other"), ("other", "one")):
        linked |= {n for (n,) in database.select_among(f"SELECT {opposite} FROM links WHERE {side}", names)}
        database.change_among(f"DELETE FROM links WHERE {side}", names)
    database.change_each(
        "DELETE FROM name_blocks WHERE block = ? AND name = ?",
        ((block, id) for id, normal, type in rows for block in blocks(normal, type)),
    )
    database.change_among("DELETE FROM names WHERE id", names)
    database.change_among("DELETE FROM entities WHERE id", names)
    changed = count_words(database, (normal for _, normal, _ in rows), -1)
    regroup(database, (linked | linked_by_words(database, changed)) - {*names})
