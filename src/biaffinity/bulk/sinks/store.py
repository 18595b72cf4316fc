"""A store as a sink: rows in SQLite or PostgreSQL, committed together with the position in the input.

A store grows by many runs. Each has a row of its own, found again by its source; documents of any run take
the place of those that have their names. Rows are gathered and written in one short transaction, so that
readers and other writers need not wait while documents are annotated.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from biaffinity import formats
from biaffinity.bulk.readers import whole_characters
from biaffinity.bulk.sinks.finished import same_settings
from biaffinity.bulk.sinks.sink import Failure, Mark, Sink
from biaffinity.errors import DataError
from biaffinity.store import open_store
from biaffinity.store.documents import DocumentWriter, StoredDocument, Written, stored, without_nul
from biaffinity.store.runs import Run, Source, begin_run, latest_run, move_run


class StoreSink(Sink[StoredDocument]):
    """A store by its name (a file, or the URL of a database), filled by a ``model``."""

    name = "store"
    render = staticmethod(stored)

    def __init__(self, out: str, model: str) -> None:
        self.out = out
        self.model = model
        self.title = out
        self.report = formats.Report()

    def open(
        self, settings: Mapping[str, Any], source: Mapping[str, Any], *, resume: bool, force: bool = False
    ) -> StoreSink:
        """Find the latest run over the same source, or begin one."""
        self.mark, self.complete, self.notes = Mark(), False, []
        self._run: Run | None = None
        self._source = Source.of(source, settings)
        self._documents: dict[str, StoredDocument] = {}
        self._failures: list[Failure] = []
        self._made = not Path(self.out).exists()
        with ExitStack() as stack:
            self._database = stack.enter_context(open_store(self.out))
            self.title = self._database.title
            self.failed_at = f"its table failures ({self.title})"
            stack.enter_context(self._database.sole_writer(self._source.text))
            stack.callback(self._remove_if_empty)
            self._writer = DocumentWriter(self._database, self.model, settings)
            self._run = latest_run(self._database, self._source, resume=resume, force=force)
            if self._run is not None:
                whose = "the run that made it" if self._run.finished else "the unfinished run"
                same_settings(json.loads(self._source.settings), self._run.settings, self.title, whose)
                self.mark = Mark(self._run.position, self._run.digest, self._run.skipped)
                self.complete = self._run.finished
            self._stack = stack.pop_all()
        return self

    def append(self, record: StoredDocument) -> None:
        """Gather a document; of two with one name in the same input the later one is kept, and it is told."""
        clean = record if self._database.holds_nul else without_nul(record)
        if clean is not record:
            self.report.note("NUL replaced, which the database cannot hold", clean.name)
        record = clean
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
        if self._run is None:
            return []
        rows = self._database.select(
            "SELECT document, problem FROM failures WHERE run = ? ORDER BY document", [self._run.key]
        )
        return [Failure(*row) for row in rows]

    def close(self) -> None:
        """Leave it."""
        self._stack.close()

    def _keep(self, mark: Mark, *, finished: bool) -> None:
        def write() -> tuple[Run, Written]:
            run = self._moved(mark, finished=finished)
            if self.complete:  # what had failed has been tried again
                self._database.change("DELETE FROM failures WHERE run = ?", [run.key])
            rows = [(run.key, 0, each.document, each.problem) for each in self._failures]
            self._database.insert("failures", ["run", "part", "document", "problem"], rows)
            return run, self._writer.write([*self._documents.values()], run.key)

        self._run, written = self._database.transact(write)
        self.mark = mark
        self._tell(written)
        self._documents.clear()
        self._failures.clear()

    def _moved(self, mark: Mark, *, finished: bool) -> Run:
        """The run where it has come to; an error if somebody else has gone on with it meanwhile."""
        run = self._run
        if run is None:
            key = begin_run(self._database, self._source, self._writer.model_key())
            run = Run(key, json.loads(self._source.settings), 0, "", 0, finished=False)
        to = replace(run, **asdict(mark), finished=finished)
        if not move_run(self._database, run, to):
            raise DataError(
                "another process has gone on with the same run",
                where=self.title,
                remedy="let one of them end, then --resume",
            )
        return to

    def _tell(self, written: Written) -> None:
        for name in written.replaced:
            self.report.note("document replaced an earlier one of the same id", name)
        for name in written.same:
            self.report.note("document left as it was: it is there already", name)

    def _remove_if_empty(self) -> None:
        """Of a run that came nowhere, nothing is left behind."""
        path = Path(self.out)
        if self._made and self._run is None and path.is_file():
            empty = not self._database.select("SELECT 1 FROM documents LIMIT 1")
            self._database.close()
            if empty:
                path.unlink()
