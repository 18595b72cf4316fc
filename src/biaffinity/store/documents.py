"""Documents as rows of a store, and how a document takes the place of what it was before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from operator import attrgetter
from typing import Any, NamedTuple

from biaffinity.annotation import Document
from biaffinity.annotation.schema import MENTION, RELATION
from biaffinity.store.database import Database, Row
from biaffinity.store.tables import EVIDENCE

_LONGEST_NAME = 500  # characters: an index of PostgreSQL takes no more than 2,700 bytes
_AS_ROW: Callable[[Any], Row] = attrgetter(*MENTION)
_ARGUMENTS = [list(RELATION).index(name) for name in ("head", "tail")]


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """What a store keeps of a document: rows of `MENTION`, and of `RELATION` with `EVIDENCE`."""

    name: str
    text: str
    mentions: list[Row]
    relations: list[Row]
    #: What was asked of this document alone: with another request it is another document.
    made_with: str = ""

    def named(self, name: str) -> StoredDocument:
        """The same under another name."""
        return replace(self, name=name)


class Written(NamedTuple):
    """What became of documents: names of those that are new, that took the place of others, that stayed."""

    new: list[str]
    replaced: list[str]
    same: list[str]


def stored(document: Document, *, made_with: str = "") -> StoredDocument:
    """A document as a store keeps it."""
    relations: list[Row] = []
    start = before = 0
    for sentence in document.sentences:
        end = start + len(sentence.text or "")
        relations += [
            (each.type, each.head + before, each.tail + before, each.score, start, end)
            for each in sentence.relations
        ]
        start, before = end, before + len(sentence.entities)
    mentions = list(map(_AS_ROW, document.entities))
    return StoredDocument(short_name(document.id), document.text, mentions, relations, made_with)


def short_name(name: str) -> str:
    """A name that every index takes: of a very long one the beginning, and a digest that tells it apart.

    >>> short_name("news/1.txt"), len(short_name("x" * 10_000))
    ('news/1.txt', 500)
    """
    if len(name) <= _LONGEST_NAME:
        return name
    digest = hashlib.blake2b(name.encode(), digest_size=16).hexdigest()
    return f"{name[: _LONGEST_NAME - len(digest) - 1]}~{digest}"


class DocumentWriter:
    """Writes documents that a model made under some settings; call it within a transaction.

    A document that is there under its name stays as it is, with all its keys, if its text and what it was
    made with are the same; else it keeps its own key, and its rows are replaced.
    """

    def __init__(self, database: Database, model: str, settings: Mapping[str, Any]) -> None:
        self.database = database
        self.model = model
        self._settings = json.dumps([model, settings], sort_keys=True).encode()

    def model_key(self) -> int:
        """The key of the model, which is made where it has none."""
        rows = self.database.select("SELECT id FROM models WHERE name = ?", [self.model])
        if rows:
            return int(rows[0][0])
        (key,) = self.database.reserve("models", 1)
        self.database.insert("models", ["id", "name"], [(key, self.model)])
        return key

    def write(self, documents: Sequence[StoredDocument], run: int | None = None) -> Written:
        """Write documents, each of another name."""
        digests = {each.name: self._digest(each) for each in documents}
        query = "SELECT name, id, digest FROM documents WHERE name"
        known = {name: (key, digest) for name, key, digest in self.database.select_among(query, [*digests])}
        new = [each for each in documents if each.name not in known]
        changed = [
            each for each in documents if each.name in known and known[each.name][1] != digests[each.name]
        ]
        keys = {each.name: known[each.name][0] for each in changed}
        keys |= zip((each.name for each in new), self.database.reserve("documents", len(new)), strict=True)
        model, moment = self.model_key(), now()
        if changed:
            # First of all, so that whoever else changes one of them waits, and then sees the rows to replace.
            self.database.change_each(
                "UPDATE documents SET text = ?, digest = ?, model = ?, run = ?, added = ? WHERE id = ?",
                [(e.text, digests[e.name], model, run, moment, keys[e.name]) for e in changed],
            )
            old = [keys[each.name] for each in changed]
            for table in ("relation_mentions", "mentions"):
                self.database.change_among(f"DELETE FROM {table} WHERE document", old)
        self.database.insert(
            "documents",
            ["id", "name", "text", "digest", "model", "run", "added"],
            [(keys[e.name], e.name, e.text, digests[e.name], model, run, moment) for e in new],
        )
        self._insert_found([(keys[each.name], each) for each in (*new, *changed)])
        rest = digests.keys() - keys.keys()
        return Written([e.name for e in new], [e.name for e in changed], sorted(rest))

    def _insert_found(self, documents: Sequence[tuple[int, StoredDocument]]) -> None:
        """The mentions of documents and the relations between them."""
        mentions: list[Row] = []
        relations: list[Row] = []
        keys = iter(self.database.reserve("mentions", sum(len(each.mentions) for _, each in documents)))
        for document, each in documents:
            own = [next(keys) for _ in each.mentions]
            mentions += [(key, document, *row) for key, row in zip(own, each.mentions, strict=True)]
            for row in each.relations:
                cells = list(row)
                for place in _ARGUMENTS:
                    cells[place] = own[cells[place]]
                relations.append((document, *cells))
        self.database.insert("mentions", ["id", "document", *MENTION], mentions)
        self.database.insert("relation_mentions", ["document", *RELATION, *EVIDENCE], relations)

    def _digest(self, document: StoredDocument) -> str:
        digest = hashlib.blake2b(self._settings, digest_size=16)
        digest.update(document.made_with.encode())
        digest.update(document.text.encode())
        return digest.hexdigest()


def now() -> str:
    """This moment, as both databases take it."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def without_nul(document: StoredDocument) -> StoredDocument:
    """The same with every NUL replaced by another character: all offsets stay right."""
    if "\0" not in document.text and "\0" not in document.name:
        return document
    mentions = [
        tuple(cell.replace("\0", "\ufffd") if isinstance(cell, str) else cell for cell in row)
        for row in document.mentions
    ]
    name, text = document.name.replace("\0", "\ufffd"), document.text.replace("\0", "\ufffd")
    return replace(document, name=name, text=text, mentions=mentions)
