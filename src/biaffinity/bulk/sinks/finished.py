"""A finished output, a file or a folder, and what made it: OUT.run.json, and OUT.failed.jsonl if documents
were left out.

The record has the checksum of every file, and the record before it: while documents that had failed are put
in, new files replace old ones one after the other, and whichever moment a kill hits, one of the two is whole.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from biaffinity.bulk.sinks.marks import FileMark
from biaffinity.bulk.sinks.sink import Failure
from biaffinity.checksums import read_sealed, sealed, tree_checksum
from biaffinity.errors import DataError, UsageError
from biaffinity.files import read_json_lines, refused

#: What is added to the output's name.
RECORD, FAILED, RECORDS = ".run.json", ".failed.jsonl", ".records"
#: Where a folder goes that another takes the place of.
REPLACED = ".part.old"


def beside(out: Path, suffix: str) -> Path:
    """A neighbour of an output."""
    return out.parent / f"{out.name}{suffix}"  # not with_name: "." has none


@dataclass(frozen=True, slots=True)
class FileFailure(Failure):
    """The same with where in the records it would stand."""

    offset: int

    def line(self) -> str:
        """As a line of OUT.failed.jsonl."""
        return json.dumps(asdict(self), ensure_ascii=True) + "\n"


def read_failures(path: Path) -> list[FileFailure]:
    """The failures in a file; none where there is no file."""
    if not path.exists():
        return []
    try:
        return [FileFailure(**record) for _, record in read_json_lines(path)]
    except TypeError as error:
        raise DataError(f"is damaged: {error}", where=str(path)) from error


@dataclass(frozen=True, slots=True)
class FinishedOutput:
    """What made an output, and its files: for each suffix of its name the checksum."""

    mark: FileMark
    settings: Mapping[str, Any]
    files: Mapping[str, str]
    previous: Mapping[str, Any] | None = field(default=None)

    def to_dict(self, *, previous: FinishedOutput | None = None) -> dict[str, Any]:
        """As it is kept."""
        record = {"mark": asdict(self.mark), "settings": self.settings, "files": self.files}
        return {**record, "previous": None if previous is None else previous.to_dict()}


def publish(
    out: Path, made: FinishedOutput, staged: Mapping[str, Path], previous: FinishedOutput | None = None
) -> None:
    """Put the ``staged`` files, each under its suffix, in their places; the record of them goes first."""
    try:
        for path in staged.values():
            _flush(path)
        _write(out, made.to_dict(previous=previous))
        for suffix, path in staged.items():
            _put(path, beside(out, suffix))
        for suffix in (FAILED, RECORDS):
            if suffix not in made.files:
                beside(out, suffix).unlink(missing_ok=True)
    except OSError as error:
        raise refused("written", out, error) from error


def find_finished(out: Path, staged: Mapping[str, Path]) -> FinishedOutput | None:
    """What an earlier run says it has finished, if its files are there as it left them.

    Files that it had not yet put in their places when it was killed are put there.
    """
    if not beside(out, RECORD).exists():
        return None
    record = read_sealed(beside(out, RECORD), remedy=f"delete it and {out.name}, and start again")
    newest = _read(record, out)
    if all(_settle(beside(out, suffix), sha, staged.get(suffix)) for suffix, sha in newest.files.items()):
        return newest
    if newest.previous is None:
        return None
    before = _read(newest.previous, out)
    sound = all(tree_checksum(beside(out, suffix)) == sha for suffix, sha in before.files.items())
    return before if sound else None


def damage(out: Path) -> DataError:
    """What is wrong with an output whose files are not those of its record."""
    return DataError(
        "is not what was written: it, or a file beside it, was changed or damaged",
        where=str(out),
        remedy=f"name another --out, or delete {out.name} and {out.name}{RECORD} and start again",
    )


def same_settings(ours: Mapping[str, Any], theirs: Mapping[str, Any], out: Path | str, whose: str) -> None:
    """An error that names the first thing that is different."""
    for name in sorted(ours.keys() | theirs.keys()):
        if ours.get(name) != theirs.get(name):
            raise UsageError(
                f"{whose} had {name} {theirs.get(name)!r:.80}, this one has {ours.get(name)!r:.80}",
                where=str(out),
                remedy="go on with the same, or name another --out",
            )


def _settle(path: Path, checksum: str, staged: Path | None) -> bool:
    if tree_checksum(path) == checksum:
        return True
    if staged is None or tree_checksum(staged) != checksum:
        return False
    _put(staged, path)
    return True


def remove(path: Path) -> None:
    """Remove a file or a folder, if there is one."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _put(staged: Path, path: Path) -> None:
    """Let what is staged take its place. A folder cannot replace one: the old one is moved out of its way."""
    if not path.is_dir():
        staged.replace(path)
        return
    old = beside(path, REPLACED)
    remove(old)
    path.replace(old)
    staged.replace(path)
    remove(old)


def _flush(path: Path) -> None:
    """Have a file, or all files of a folder, on the disk."""
    if not path.is_dir():
        with path.open("rb+") as file:
            os.fsync(file.fileno())
    elif hasattr(os, "sync"):  # once for all of them: they are many and small
        os.sync()


def _read(record: Mapping[str, Any], out: Path) -> FinishedOutput:
    try:
        mark = FileMark(**record["mark"])
        return FinishedOutput(mark, record["settings"], record["files"], record["previous"])
    except (KeyError, TypeError) as error:
        raise DataError(
            "is not ours", where=str(beside(out, RECORD)), remedy="move it away, or name another --out"
        ) from error


def _write(out: Path, record: dict[str, Any]) -> None:
    path, new = beside(out, RECORD), beside(out, f"{RECORD}.new")
    with new.open("w", encoding="utf-8") as file:
        json.dump(sealed(record), file, indent=1)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
