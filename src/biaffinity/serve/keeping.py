"""What the service extracted, kept in a store: gathered, and written by a thread about once a second.

Answers never wait for the store. While it cannot be written, documents are held up to a bound and tried
again; beyond it they are let go and counted.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Mapping, Sequence
from functools import partial

from biaffinity.annotation import Document
from biaffinity.errors import BiaffinityError
from biaffinity.serve.metrics import Metrics
from biaffinity.serve.reading import Task
from biaffinity.store import Database, open_store
from biaffinity.store.documents import DocumentWriter, StoredDocument, stored, without_nul

#: Characters of documents that wait to be written.
MOST_WAITING = 20_000_000
_SECONDS = 1.0

_log = logging.getLogger(__name__)


class Keeper:
    """Keeps documents that models made; close it to have the last of them written."""

    def __init__(self, store: str, metrics: Metrics) -> None:
        self._store = store
        self._metrics = metrics
        self._database: Database | None = open_store(store)  # what is wrong with it is told before it starts
        self.title = self._database.title
        self._waiting: dict[str, tuple[str, StoredDocument]] = {}  # by name; with the model that made it
        self._characters = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._failing = False
        self._thread = threading.Thread(target=self._work, name="keep", daemon=True)
        self._thread.start()

    def keep(self, model: str, document: Document, task: Task) -> None:
        """Take a document that a model made, by its version; one without an id is called by its text."""
        record = stored(document, made_with=repr((task.entities, task.thresholds)))
        if not document.id:
            digest = hashlib.blake2b(document.text.encode(), digest_size=16).hexdigest()
            record = record.named(f"text:{digest}")
        with self._lock:
            if self._characters + len(record.text) > MOST_WAITING:
                self._metrics.not_kept.inc()
                return
            earlier = self._waiting.pop(record.name, None)
            self._characters += len(record.text) - (len(earlier[1].text) if earlier else 0)
            self._waiting[record.name] = model, record

    def close(self) -> None:
        """Write what is waiting, and end."""
        self._closing.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._closing.wait(_SECONDS):
            self._write()
        self._write()
        if self._waiting:
            self._metrics.not_kept.inc(len(self._waiting))
            _log.error("documents not kept", extra={"fields": {"documents": len(self._waiting)}})
        if self._database is not None:
            self._database.close()

    def _write(self) -> None:
        with self._lock:
            waiting = dict(self._waiting)
        if not waiting:
            return
        try:
            database = self._database = self._database or open_store(self._store)
            made: dict[str, list[StoredDocument]] = {}
            for model, record in waiting.values():
                made.setdefault(model, []).append(record if database.holds_nul else without_nul(record))
            database.transact(partial(_write_all, database, made))
        except BiaffinityError as error:
            if not self._failing:
                _log.error("store cannot be written", extra={"fields": {"problem": str(error)}})
            self._failing = True
            if self._database is not None:
                self._database.close()
                self._database = None
            return
        if self._failing:
            _log.warning("store is written again")
        self._failing = False
        self._metrics.kept.inc(len(waiting))
        with self._lock:
            for name, entry in waiting.items():
                if self._waiting.get(name) is entry:
                    del self._waiting[name]
                    self._characters -= len(entry[1].text)


def _write_all(database: Database, made: Mapping[str, Sequence[StoredDocument]]) -> None:
    for model, records in made.items():
        DocumentWriter(database, model, {}).write(records)
