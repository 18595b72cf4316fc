"""An output that can be taken up again: OUT.part, what is written so far, and OUT.part.json, how far it goes.

The first only grows, and the second is replaced as a whole after it has. Killed between the two, a run has
written more than it knows of; the next one cuts that off and writes it again, so every record is there once.
Documents that were left out are noted the same way, in OUT.part.failed. Checksums tell whether what is there
is what was written; if it is not, the next run goes on from the last mark up to which it is. OUT itself
appears when all is done. A lock, OUT.lock, keeps a second process out.
"""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from biaffinity.bulk.finished import (
    FAILED,
    RECORD,
    RECORDS,
    REPLACED,
    Failure,
    FinishedOutput,
    beside,
    damage,
    find_finished,
    publish,
    remove,
    same_settings,
)
from biaffinity.bulk.growing import GrowingFile, prefix_digests
from biaffinity.bulk.marks import Mark, thinned
from biaffinity.bulk.sinks import Format
from biaffinity.checksums import read_sealed, sealed, tree_checksum
from biaffinity.errors import DataError, UsageError
from biaffinity.files import refused
from biaffinity.locks import sole_writer


class PartialOutput:
    """OUT while it is being written; use it as a context.

    ``settings`` is all that decides what is written. A run is gone on with only under the same. With
    ``force`` an earlier run is forgotten, and a file that is there is replaced when the new one is whole; not
    so a folder, which may hold more than we have written.
    ``finished`` is what an earlier run has left, where there is nothing more to write but what had failed;
    ``notes`` tell what had to be put right.
    """

    def __init__(
        self, out: Path, form: Format, settings: Mapping[str, Any], *, resume: bool, force: bool = False
    ) -> None:
        self.out = out
        self.form = form
        self.settings = json.loads(json.dumps(settings))  # as it will be read back
        self.resume = resume
        self.force = force
        self.records = beside(out, ".part")
        self.failures = beside(out, ".part.failed")
        self.state = beside(out, ".part.json")
        # Always the same neighbours: what a kill leaves of them is written over.
        self._new_state = beside(out, ".part.json.new")
        self._whole = beside(out, ".part.new")
        self.mark = Mark()
        self.finished: FinishedOutput | None = None
        self.notes: list[str] = []
        self._marks: list[Mark] = []
        self._moving = False  # files are taking their places: none of them may be lost
        self._stack = ExitStack()

    def __enter__(self) -> PartialOutput:
        """See what is there, and open the files of records and failures, cut to what is known of."""
        if self.out.exists() and self.out.is_dir() != self.form.is_folder:
            kinds = ("folder", "file") if self.out.is_dir() else ("file", "folder")
            raise DataError(f"is a {kinds[0]}, a {kinds[1]} is to be written here", where=str(self.out))
        with self._stack as stack:
            stack.enter_context(sole_writer(self.out, beside(self.out, ".lock")))
            self._find()
            records = failures = None
            if self.finished is not None:
                self._clear()
            else:
                if self.state.exists():
                    records, failures = self._earlier()
                else:
                    self._save(ended=False)
                for suffix in (RECORD, FAILED, RECORDS):  # of an output that was deleted, or is replaced
                    beside(self.out, suffix).unlink(missing_ok=True)
            self._open(records, failures)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._stack:
            self._records.close()
            self._failures.close()
            if self._moving:
                return
            if self.finished is not None or self.mark == Mark():  # it came nowhere: leave nothing behind
                self._clear()

    def append(self, records: str) -> None:
        """Add records; they count once `commit` has said so."""
        self._records.append(records.encode())

    def copy(self, raw: bytes) -> None:
        """Add records of an earlier output."""
        self._records.append(raw)

    def fail(self, document: int, problem: str) -> None:
        """Note a document that has no record."""
        self._failures.append(Failure(document, problem, self._records.size).line().encode())

    def commit(self, mark: Mark, *, ended: bool = False) -> None:
        """Everything added so far is what ``mark`` stands for; sizes and checksums are set here."""
        self._records.sync()
        self._failures.sync()
        self.mark = self._measured(mark)
        self._marks = thinned([*self._marks, self.mark])
        self._save(ended=ended)

    def finish(self, mark: Mark, *, single: bool) -> None:
        """All is written: make OUT of it."""
        if self.finished is None:
            self.commit(mark, ended=True)
        else:
            self._records.sync()
            self._failures.sync()
            self.mark = self._measured(mark)
        self._records.close()
        self._failures.close()
        staged = self._staged(failed=bool(self.mark.skipped))
        if self.form.finish is not None:
            try:
                remove(self._whole)
                self.form.finish(self.records, self._whole, single)
            except OSError as error:
                raise refused("written", self._whole, error) from error
        files = {suffix: str(tree_checksum(path)) for suffix, path in staged.items()}
        made = FinishedOutput(self.mark, self.settings, files)
        self._moving = True
        publish(self.out, made, staged, previous=self.finished)
        self._moving, self.finished = False, made

    def _measured(self, mark: Mark) -> Mark:
        return replace(
            mark,
            size=self._records.size,
            checksum=self._records.checksum,
            failed_size=self._failures.size,
            failed_checksum=self._failures.checksum,
        )

    def _staged(self, *, failed: bool = True) -> dict[str, Path]:
        """For every suffix of the finished output's name, the file that gets it; the output goes first."""
        if self.form.finish is None:
            staged = {"": self.records}
        else:
            staged = {"": self._whole, **({RECORDS: self.records} if failed else {})}
        return {**staged, FAILED: self.failures} if failed else staged

    def _find(self) -> None:
        """What an earlier run has left, or why there can be none now."""
        there = self.out.exists() and not (self.form.is_folder and not any(self.out.iterdir()))
        if self.force and not (there and self.form.is_folder):
            self._clear()
            return
        if not self.resume:
            if there:
                remedy = "delete it" if self.form.is_folder else "--force"
                raise UsageError(
                    "is there already", where=str(self.out), remedy=f"name another --out, or {remedy}"
                )
            if self.state.exists():
                raise UsageError(
                    "an earlier run did not come to its end",
                    where=str(self.out),
                    remedy=f"--resume goes on with it; or delete {self.records.name} and {self.state.name}",
                )
        else:
            self.finished = find_finished(self.out, self._staged())
            if self.finished is not None:
                same_settings(self.settings, self.finished.settings, self.out, "the run that made it")
                return
        if there:
            self._find_unrecorded()
        if self.records.exists() and not self.state.exists():
            raise UsageError(
                "is in the way: it is no unfinished run of ours",
                where=str(self.records),
                remedy="move it away",
            )

    def _find_unrecorded(self) -> None:
        """An output is there that is not of its record: only a run that was to replace it is gone on with."""
        if beside(self.out, RECORD).exists():
            raise damage(self.out)
        if not self.state.exists():
            raise UsageError(
                "is there already, and nothing beside it tells what made it",
                where=str(self.out),
                remedy="name another --out, or delete it",
            )
        self.force = bool(self._read_state().get("replaces"))
        if not self.force:
            raise UsageError(
                "stands beside an unfinished run of the same name",
                where=str(self.out),
                remedy=f"move it away, or delete {self.records.name} and {self.state.name}",
            )

    def _earlier(self) -> tuple[Any, Any]:
        """Go back to the last mark of an earlier run up to which its files are sound; their digests there."""
        record = self._read_state()
        try:
            settings = record["settings"]
            marks = [Mark(**mark) for mark in record["marks"]]
        except (KeyError, TypeError) as error:
            raise DataError("is not ours", where=str(self.state), remedy=self._start_again()) from error
        same_settings(self.settings, settings, self.out, "the unfinished run")
        sound: tuple[Any, Any] = (None, None)
        pairs = zip(
            prefix_digests(self.records, [mark.size for mark in marks]),
            prefix_digests(self.failures, [mark.failed_size for mark in marks]),
            strict=False,
        )
        for mark, (records, failures) in zip(marks, pairs, strict=False):
            if (mark.checksum, mark.failed_checksum) != (
                records.hexdigest() if mark.size else "",
                failures.hexdigest() if mark.failed_size else "",
            ):
                break
            self.mark, sound = mark, (records, failures)
            self._marks.append(mark)
        if marks and self.mark != marks[-1]:
            self.notes.append(
                f"{self.records} is damaged: of {marks[-1].position:,} documents the first "
                f"{self.mark.position:,} are sound, the others are done again"
            )
        return sound

    def _read_state(self) -> dict[str, Any]:
        return read_sealed(self.state, self._start_again())

    def _start_again(self) -> str:
        return f"delete it and {self.records.name}, and start again"

    def _open(self, records: Any, failures: Any) -> None:
        self._records = GrowingFile(self.records, self.mark.size, records)
        self._failures = GrowingFile(self.failures, self.mark.failed_size, failures)
        if not self.mark.size and self.finished is None:
            self.append(self.form.header)

    def _save(self, *, ended: bool) -> None:
        record = {"marks": [asdict(mark) for mark in self._marks], "ended": ended, "settings": self.settings}
        record |= {"replaces": self.force}
        try:
            with self._new_state.open("w", encoding="utf-8") as file:
                json.dump(sealed(record), file)
                file.flush()
                os.fsync(file.fileno())
            self._new_state.replace(self.state)
        except OSError as error:
            raise refused("written", self.state, error) from error

    def _clear(self) -> None:
        """Remove what an unfinished run needs; last of all that which says whose it is."""
        # Formats write into neighbours of their own, which a kill leaves.
        half = self.out.parent.glob(f".{glob.escape(self._whole.name)}.*.part")
        aside = (*half, self._whole, beside(self.out, REPLACED))
        for path in (self.records, self.failures, *aside, self._new_state, self.state):
            remove(path)
