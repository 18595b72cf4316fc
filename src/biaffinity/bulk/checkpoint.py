"""An output that can be taken up again: OUT.part, what is written so far, and OUT.part.json, how far it goes.

The first only grows, and the second is replaced as a whole after it has. Killed between the two, a run has
written more than it knows of; the next one cuts that off and writes it again, so every record is there once.
OUT itself appears when all is done.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from biaffinity.bulk.sinks import Format
from biaffinity.errors import DataError, UsageError
from biaffinity.files import read_json, refused


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a run has come: documents of the input dealt with, what they were, bytes written for them."""

    position: int = 0
    digest: str = ""
    size: int = 0
    skipped: int = 0


class PartialOutput:
    """OUT while it is being written; use it as a context.

    ``settings`` is all that decides what is written. A run is gone on with only under the same. With
    ``force`` an earlier run is forgotten, and a file that is there is replaced when the new one is whole.
    """

    def __init__(
        self, out: Path, form: Format, settings: Mapping[str, Any], *, resume: bool, force: bool = False
    ) -> None:
        self.out = out
        self.form = form
        self.settings = json.loads(json.dumps(settings))  # as it will be read back
        self.records = out.with_name(f"{out.name}.part")
        self.state = out.with_name(f"{out.name}.part.json")
        # Always the same neighbours: what a kill leaves of them is written over.
        self._new_state = out.with_name(f"{self.state.name}.new")
        self._whole = out.with_name(f"{self.records.name}.new")
        self.complete = out.exists() and not (form.is_folder and _is_empty_folder(out))
        self.mark = Mark()
        if out.exists() and out.is_dir() != form.is_folder:
            kinds = ("folder", "file") if out.is_dir() else ("file", "folder")
            raise DataError(f"is a {kinds[0]}, a {kinds[1]} is to be written here", where=str(out))
        if force and not out.is_dir():  # a folder may hold more than we have written
            self.complete = False
            self._clear()
        if self.complete and not resume:
            way_out = "delete it" if out.is_dir() else "--force"
            raise UsageError("is there already", where=str(out), remedy=f"name another --out, or {way_out}")
        if self.state.exists():
            if not resume:
                raise UsageError(
                    "an earlier run did not come to its end",
                    where=str(out),
                    remedy=f"--resume goes on with it; or delete {self.records.name} and {self.state.name}",
                )
            self.mark = self._earlier()
            if self.complete and not self._ended():
                raise UsageError(
                    "stands beside an unfinished run of the same name",
                    where=str(out),
                    remedy=f"move it away, or delete {self.records.name} and {self.state.name}",
                )
        elif self.records.exists():
            raise UsageError(
                "is in the way: it is no unfinished run of ours",
                where=str(self.records),
                remedy="move it away",
            )

    def __enter__(self) -> PartialOutput:
        """Open the file of records, cut to what is known of; where all is done, only clear up."""
        if self.complete:
            self._clear()
            return self
        try:
            self.out.parent.mkdir(parents=True, exist_ok=True)
            if not self.state.exists():
                self._save(ended=False)
            self._file = self.records.open("ab")
            self._file.truncate(self.mark.size)
            if not self.mark.size:
                self._file.write(self.form.header.encode())
        except OSError as error:
            raise refused("written", self.records, error) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.complete:
            self._file.close()
            if self.mark == Mark():  # it came nowhere: leave nothing behind
                self._clear()

    def append(self, records: str) -> None:
        """Add records; they count once `commit` has said so."""
        try:
            self._file.write(records.encode())
        except OSError as error:
            raise refused("written", self.records, error) from error

    def commit(self, mark: Mark, *, ended: bool = False) -> None:
        """Everything appended so far is what ``mark`` stands for; its size is set here."""
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
            # Not tell(): after a truncation it would count from the old end.
            self.mark = replace(mark, size=os.fstat(self._file.fileno()).st_size)
            self._save(ended=ended)
        except OSError as error:
            raise refused("written", self.records, error) from error

    def finish(self, mark: Mark, *, single: bool) -> None:
        """All is written: make OUT of it."""
        self.commit(mark, ended=True)
        self._file.close()
        try:
            if self.form.finish is None:
                self.records.replace(self.out)
            else:
                _remove(self._whole)
                self.form.finish(self.records, self._whole, single)
                if self.form.is_folder:
                    if self.out.exists():
                        self.out.rmdir()
                else:
                    with self._whole.open("rb+") as file:
                        os.fsync(file.fileno())
                self._whole.replace(self.out)
        except OSError as error:
            raise refused("written", self.out, error) from error
        self.complete = True
        self._clear()

    def _earlier(self) -> Mark:
        """The mark of an earlier run, which must have had our settings."""
        record = read_json(self.state)
        mark, settings = record.get("mark"), record.get("settings")
        names = {field.name for field in fields(Mark)}
        if not isinstance(mark, dict) or mark.keys() != names or not isinstance(settings, dict):
            raise DataError("is not ours", where=str(self.state), remedy="delete it and start again")
        for name in sorted(self.settings.keys() | settings.keys()):
            ours, theirs = self.settings.get(name), settings.get(name)
            if ours != theirs:
                raise UsageError(
                    f"the unfinished run had {name} {theirs!r:.80}, this one has {ours!r:.80}",
                    where=str(self.out),
                    remedy="go on with the same, or name another --out",
                )
        if not self.complete and _size(self.records) < mark["size"]:
            raise DataError(
                "is shorter than what was written",
                where=str(self.records),
                remedy="delete it and start again",
            )
        return Mark(**mark)

    def _ended(self) -> bool:
        return bool(read_json(self.state).get("ended"))

    def _save(self, *, ended: bool) -> None:
        with self._new_state.open("w", encoding="utf-8") as file:
            json.dump({"mark": asdict(self.mark), "ended": ended, "settings": self.settings}, file)
            file.flush()
            os.fsync(file.fileno())
        self._new_state.replace(self.state)

    def _clear(self) -> None:
        """Remove what an unfinished run needs; last of all that which says whose it is."""
        for path in (self.records, self._whole, self._new_state, self.state):
            _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
