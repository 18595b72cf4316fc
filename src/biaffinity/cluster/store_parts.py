"""Parts as rows of a PostgreSQL store: documents, failures and the part's own row in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any

from biaffinity.bulk.sinks import Failure
from biaffinity.bulk.sinks.finished import same_settings
from biaffinity.cluster.output import PartResult, PartsOutput
from biaffinity.store import open_store
from biaffinity.store.documents import DocumentWriter, StoredDocument, stored, without_nul
from biaffinity.store.runs import Run, Source, begin_run, latest_run, move_run


class StoreParts(PartsOutput[StoredDocument]):
    """A store on a server; those that write connect to it for as long as a transaction takes."""

    render = staticmethod(stored)

    def __init__(self, url: str, model: str) -> None:
        self.url = url
        self.model = model
        self.title = url
        self._stack = ExitStack()

    def begin(
        self, settings: Mapping[str, Any], source: Mapping[str, Any], *, resume: bool, force: bool
    ) -> dict[int, PartResult]:
        """Find the latest run over the same source, or begin one; its parts but for those that failed."""
        told = Source.of(source, settings)
        self._settings = settings
        self._database = self._stack.enter_context(open_store(self.url))
        self.title = self._database.title
        self.failed_at = f"its table failures ({self.title})"
        self._stack.enter_context(self._database.sole_writer(told.text))
        run = latest_run(self._database, told, resume=resume, force=force)
        if run is None:
            with self._database.transaction():
                model = DocumentWriter(self._database, self.model, settings).model_key()
                run = Run(begin_run(self._database, told, model), {}, 0, "", 0, finished=False)
        else:
            same_settings(settings, run.settings, self.title, "the run that made it")
        self._run = run
        rows = self._database.select(
            "SELECT part, documents, skipped FROM parts WHERE run = ? AND skipped = 0", [run.key]
        )
        return {part: PartResult(documents, skipped) for part, documents, skipped in rows}

    def writer(self) -> Callable[[int, Sequence[StoredDocument], Sequence[Failure]], PartResult]:
        """Writes the rows of a part."""
        return partial(write_part, self.url, self._run.key, self.model, self._settings)

    def finish(self, results: Mapping[int, PartResult]) -> None:
        """Note that the run has come to its end."""
        documents = sum(each.documents + each.skipped for each in results.values())
        skipped = sum(each.skipped for each in results.values())
        with self._database.transaction():
            move_run(
                self._database,
                self._run,
                replace(self._run, position=documents, skipped=skipped, finished=True),
            )

    def close(self) -> None:
        """Leave it."""
        self._stack.close()


def write_part(
    url: str,
    run: int,
    model: str,
    settings: Mapping[str, Any],
    part: int,
    documents: Sequence[StoredDocument],
    failures: Sequence[Failure],
) -> PartResult:
    """Write a part, unless it is there without a failure: then it was written, and only the word was lost."""
    result = PartResult(len(documents), len(failures))
    with open_store(url) as database:
        writer = DocumentWriter(database, model, settings)
        clean = {each.name: each if database.holds_nul else without_nul(each) for each in documents}

        def write() -> PartResult:
            database.change("DELETE FROM parts WHERE run = ? AND part = ? AND skipped > 0", [run, part])
            if database.select("SELECT 1 FROM parts WHERE run = ? AND part = ?", [run, part]):
                return result
            # Whoever else writes the same part waits here, then finds it there.
            columns = ["run", "part", "documents", "skipped"]
            database.insert("parts", columns, [(run, part, result.documents, result.skipped)])
            writer.write([*clean.values()], run)
            database.change("DELETE FROM failures WHERE run = ? AND part = ?", [run, part])
            rows = [(run, part, each.document, each.problem.replace("\0", "\ufffd")) for each in failures]
            database.insert("failures", ["run", "part", "document", "problem"], rows)
            return result

        return database.transact(write)
