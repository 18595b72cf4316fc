"""A store as a sink: rows in SQLite or PostgreSQL, committed together with the position in the input.

A store grows by many runs. Each has a row of its own, found again by its source; documents of any run take
the place of those that have their names. Rows are gathered and written in one short transaction, so that
readers and other writers need not wait while documents are annotated.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from biaffinity import formats
from biaffinity.bulk.readers import whole_characters
from biaffinity.bulk.sinks.finished import same_settings
from biaffinity.bulk.sinks.sink import Failure, Mark, Sink
from biaffinity.errors import DataError, UsageError
from biaffinity.store import Database, open_store
from biaffinity.store.database import ConflictError
from biaffinity.store.documents import DocumentWriter, StoredDocument, Written, now, stored, without_nul

_ATTEMPTS = 5


class StoreSink(Sink[StoredDocument]):
    """A store by its name (a file, or the URL of a database), filled by a ``model``."""

    name = "store"
    render = staticmethod(stored)

    def __init__(self, out: str, model: str, *, opening: Callable[[str], Database] = open_store) -> None:
        self.out = out
        self.model = model
        self._opening = opening
        self.title = out
        self.report = formats.Report()

    def open(
        self, settings: Mapping[str, Any], source: Mapping[str, Any], *, resume: bool, force: bool = False
    ) -> StoreSink:
        """Find the latest run over the same source, or begin one."""
        self.mark, self.complete, self.notes = Mark(), False, []
        self._run: int | None = None
        self._settings = json.dumps(settings, sort_keys=True)
        self._source = json.dumps(source, sort_keys=True)
        self._source_digest = hashlib.blake2b(self._source.encode(), digest_size=16).hexdigest()
        self._documents: dict[str, StoredDocument] = {}
        self._failures: list[Failure] = []
        self._made = not Path(self.out).exists()
        with ExitStack() as stack:
            self._database = stack.enter_context(self._opening(self.out))
            self.title = self._database.title
            self.failed_at = f"its table failures ({self.title})"
            stack.callback(self._remove_if_empty)
            stack.enter_context(self._database.sole_writer(self._source))
            self._writer = DocumentWriter(self._database, self.model, settings)
            self._find(settings, resume=resume, force=force)
            self._stack = stack.pop_all()
        return self

    def append(self, record: StoredDocument) -> None:
        """Gather a document; of two with one name in the same input the later one is kept, and it is told."""
        if not self._database.holds_nul and any("\0" in each for each in (record.name, record.text)):
            record = without_nul(record)
            self.report.note("NUL replaced, which the database cannot hold", record.name)
        if record.name in self._documents:
            self.report.note("document replaced by a later one of the same id", record.name)
        self._documents[record.name] = record

    def fail(self, document: int, problem: str) -> None:
        """Gather a failure."""
        self._failures.append(Failure(document, whole_characters(problem).replace("\0", "\ufffd")))

    def commit(self, mark: Mark) -> None:
        """Write what was gathered and the position, in one transaction."""
        self._keep(mark, finished=False)

    def finish(self, mark: Mark) -> None:
        """The same, and that it is all."""
        self._keep(mark, finished=True)

    def failures(self) -> Sequence[Failure]:
        """What the run has left out."""
        rows = self._database.select(
            "SELECT document, problem FROM failures WHERE run = ? ORDER BY document", [self._run]
        )
        return [Failure(*row) for row in rows]

    def close(self) -> None:
        """Leave it."""
        self._stack.close()

    def _find(self, settings: Mapping[str, Any], *, resume: bool, force: bool) -> None:
        """The latest run over the same source, if it is to be gone on with."""
        rows = self._database.select(
            "SELECT id, settings, position, digest, skipped, finished FROM runs "
            "WHERE source_digest = ? ORDER BY id DESC LIMIT 1",
            [self._source_digest],
        )
        if not rows or force:
            return
        run, theirs, *mark, finished = rows[0]
        if not resume:
            if not finished:
                raise UsageError(
                    "an earlier run over the same input did not come to its end",
                    where=self.title,
                    remedy="--resume goes on with it, --force begins again",
                )
            return
        whose = "the run that made it" if finished else "the unfinished run"
        same_settings(json.loads(self._settings), json.loads(theirs), self.title, whose)
        self._run, self.mark, self.complete = run, Mark(*mark), bool(finished)

    def _keep(self, mark: Mark, *, finished: bool) -> None:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                with self._database.transaction():
                    run = self._record(mark, finished=finished)
                    written = self._writer.write([*self._documents.values()], run)
                    if self.complete:  # what had failed has been tried again
                        self._database.change("DELETE FROM failures WHERE run = ?", [run])
                    self._database.insert(
                        "failures",
                        ["run", "document", "problem"],
                        [(run, each.document, each.problem) for each in self._failures],
                    )
                break
            except ConflictError:
                if attempt == _ATTEMPTS:
                    raise
        self._run, self.mark = run, mark
        self._tell(written)
        self._documents.clear()
        self._failures.clear()

    def _record(self, mark: Mark, *, finished: bool) -> int:
        """How far the run has come; an error if somebody else has gone on with it meanwhile."""
        reached = (mark.position, mark.digest, mark.skipped, finished, now())
        if self._run is None:
            (run,) = self._database.reserve("runs", 1)
            columns = ["position", "digest", "skipped", "finished", "changed"]
            columns += ["id", "source_digest", "source", "settings", "model", "started"]
            row = (*reached, run, self._source_digest, self._source, self._settings)
            self._database.insert("runs", columns, [(*row, self._writer.model_key(), now())])
            return run
        changed = self._database.change(
            "UPDATE runs SET position = ?, digest = ?, skipped = ?, finished = ?, changed = ? "
            "WHERE id = ? AND position = ? AND finished = ?",
            (*reached, self._run, self.mark.position, self.complete),
        )
        if changed != 1:
            raise DataError(
                "another process has gone on with the same run",
                where=self.title,
                remedy="let one of them end, then --resume",
            )
        return self._run

    def _tell(self, written: Written) -> None:
        for name in written.replaced:
            self.report.note("document replaced an earlier one of the same id", name)
        for name in written.same:
            self.report.note("document left as it was: it is there already", name)

    def _remove_if_empty(self) -> None:
        """Of a run that came nowhere, nothing is left behind."""
        path = Path(self.out)
        if self._made and self._run is None and path.is_file():
            self._database.close()
            path.unlink()
