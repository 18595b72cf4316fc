"""A file, or folder, that can be taken up again: OUT.part, all that is written, and OUT.part.json, how far.

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
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from biaffinity.bulk.sinks.finished import (
    FAILED,
    RECORD,
    RECORDS,
    REPLACED,
    FileFailure,
    FinishedOutput,
    beside,
    damage,
    find_finished,
    publish,
    read_failures,
    remove,
    same_settings,
)
from biaffinity.bulk.sinks.format import Format
from biaffinity.bulk.sinks.growing import GrowingFile, prefix_digests
from biaffinity.bulk.sinks.marks import FileMark, thinned
from biaffinity.bulk.sinks.sink import Failure, Mark, Sink
from biaffinity.checksums import read_sealed, sealed, tree_checksum
from biaffinity.errors import DataError, UsageError
from biaffinity.files import refused
from biaffinity.locks import sole_writer

_PIECE = 1 << 20  # bytes copied at a time


class FileSink(Sink[str]):
    """A file or folder of some format; ``single``: there can be but one document.

    With ``force`` a file that is there is replaced when the new one is whole; not so a folder, which may hold
    more than we have written.
    """

    def __init__(self, out: Path, form: Format, *, single: bool = False) -> None:
        self.out = out
        self.form = form
        self.single = single
        self.name, self.render, self.report = form.name, form.render, form.report
        self.title = str(out)
        self.failed_at = str(beside(out, FAILED))
        self.records = beside(out, ".part")
        self.failed = beside(out, ".part.failed")
        self.state = beside(out, ".part.json")
        # Always the same neighbours: what a kill leaves of them is written over.
        self._new_state = beside(out, ".part.json.new")
        self._whole = beside(out, ".part.new")

    def open(
        self, settings: Mapping[str, Any], source: Mapping[str, Any], *, resume: bool, force: bool = False
    ) -> FileSink:
        """See what is there, and open the files of records and failures, cut to what is known of."""
        told = {**settings, "format": self.name, **source}
        self.settings = json.loads(json.dumps(told))  # as it will be read back
        self.resume, self.force = resume, force
        self.mark: FileMark = FileMark()
        self.finished: FinishedOutput | None = None
        self.notes: list[str] = []
        self._marks: list[FileMark] = []
        self._moving = False  # files are taking their places: none of them may be lost
        self._old: BinaryIO | None = None
        if self.out.exists() and self.out.is_dir() != self.form.is_folder:
            kinds = ("folder", "file") if self.out.is_dir() else ("file", "folder")
            raise DataError(f"is a {kinds[0]}, a {kinds[1]} is to be written here", where=str(self.out))
        with ExitStack() as stack:
            stack.enter_context(sole_writer(self.out, beside(self.out, ".lock")))
            self._find()
            records = failed = None
            if self.finished is not None:
                self._clear()
            else:
                if self.state.exists():
                    records, failed = self._earlier()
                else:
                    self._save(ended=False)
                for suffix in (RECORD, FAILED, RECORDS):  # of an output that was deleted, or is replaced
                    beside(self.out, suffix).unlink(missing_ok=True)
            self._open(records, failed)
            self._stack = stack.pop_all()
        self.complete = self.finished is not None
        if self.finished is not None:
            self.mark = self.finished.mark
        return self

    def close(self) -> None:
        """Leave it; of a run that came nowhere nothing is left behind."""
        with self._stack:
            self._records.close()
            self._failed.close()
            if self._moving:
                return
            if self.finished is not None or self.mark == FileMark():
                self._clear()

    def append(self, record: str) -> None:
        """Add records; they count once `commit` has said so."""
        self._records.append(record.encode())

    def fail(self, document: int, problem: str) -> None:
        """Note a document that has no record."""
        self._failed.append(FileFailure(document, problem, self._records.size).line().encode())

    def commit(self, mark: Mark) -> None:
        """Everything added so far is what ``mark`` stands for."""
        self._commit(mark, ended=False)

    def finish(self, mark: Mark) -> None:
        """All is written: make OUT of it."""
        if self.finished is None:
            self._commit(mark, ended=True)
        else:
            self._take_over(-1)
            self._records.sync()
            self._failed.sync()
            self.mark = self._measured(mark)
        self._records.close()
        self._failed.close()
        staged = self._staged(failed=bool(self.mark.skipped))
        if self.form.finish is not None:
            try:
                remove(self._whole)
                self.form.finish(self.records, self._whole, self.single)
            except OSError as error:
                raise refused("written", self._whole, error) from error
        files = {suffix: str(tree_checksum(path)) for suffix, path in staged.items()}
        made = FinishedOutput(self.mark, self.settings, files)
        self._moving = True
        publish(self.out, made, staged, previous=self.finished)
        self._moving, self.finished = False, made

    def failures(self) -> list[FileFailure]:
        """What was left out of OUT."""
        found = read_failures(beside(self.out, FAILED))
        if found and self.finished is not None:
            records = beside(self.out, RECORDS) if RECORDS in self.finished.files else self.out
            try:
                self._old = self._stack.enter_context(records.open("rb"))
            except OSError as error:
                raise refused("read", records, error) from error
        return found

    def go_to(self, failure: Failure) -> None:
        """Take over what stands before its place."""
        assert isinstance(failure, FileFailure)
        assert self._old is not None
        self._take_over(failure.offset - self._old.tell())

    def _take_over(self, size: int) -> None:
        """Copy so many bytes of the earlier records; all that are left where it is negative."""
        if self._old is None:
            return
        while size and (piece := self._old.read(_PIECE if size < 0 else min(size, _PIECE))):
            self._records.append(piece)
            size -= len(piece) if size > 0 else 0

    def _commit(self, mark: Mark, *, ended: bool) -> None:
        self._records.sync()
        self._failed.sync()
        self.mark = self._measured(mark)
        self._marks = thinned([*self._marks, self.mark])
        self._save(ended=ended)

    def _measured(self, mark: Mark) -> FileMark:
        return FileMark(
            mark.position,
            mark.digest,
            mark.skipped,
            size=self._records.size,
            checksum=self._records.checksum,
            failed_size=self._failed.size,
            failed_checksum=self._failed.checksum,
        )

    def _staged(self, *, failed: bool = True) -> dict[str, Path]:
        """For every suffix of the finished output's name, the file that gets it; the output goes first."""
        if self.form.finish is None:
            staged = {"": self.records}
        else:
            staged = {"": self._whole, **({RECORDS: self.records} if failed else {})}
        return {**staged, FAILED: self.failed} if failed else staged

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
            marks = [FileMark(**mark) for mark in record["marks"]]
        except (KeyError, TypeError) as error:
            raise DataError("is not ours", where=str(self.state), remedy=self._start_again()) from error
        same_settings(self.settings, settings, self.out, "the unfinished run")
        sound: tuple[Any, Any] = (None, None)
        pairs = zip(
            prefix_digests(self.records, [mark.size for mark in marks]),
            prefix_digests(self.failed, [mark.failed_size for mark in marks]),
            strict=False,
        )
        for mark, (records, failed) in zip(marks, pairs, strict=False):
            if (mark.checksum, mark.failed_checksum) != (
                records.hexdigest() if mark.size else "",
                failed.hexdigest() if mark.failed_size else "",
            ):
                break
            self.mark, sound = mark, (records, failed)
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

    def _open(self, records: Any, failed: Any) -> None:
        self._records = GrowingFile(self.records, self.mark.size, records)
        self._failed = GrowingFile(self.failed, self.mark.failed_size, failed)
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
        for path in (self.records, self.failed, *aside, self._new_state, self.state):
            remove(path)
