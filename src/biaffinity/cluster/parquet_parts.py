"""A folder of Parquet files, one per part, on a shared disk or in an object store.

OUT/part-00000.parquet       the documents of the first part
OUT/_part-00000.failed.jsonl what was left out of it, if anything was
OUT/_run.json                what made it, and of which input: what must stay the same

Readers of such folders pass over names that begin with an underscore.
"""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from biaffinity.annotation import Document
from biaffinity.annotation.schema import arrow_schema
from biaffinity.bulk.readers import parquet_library
from biaffinity.bulk.sinks import Failure
from biaffinity.bulk.sinks.finished import same_settings
from biaffinity.checksums import is_sound, sealed
from biaffinity.cluster.locations import file_systems, filesystem
from biaffinity.cluster.output import PartResult, PartsOutput
from biaffinity.errors import DataError, UsageError
from biaffinity.locks import sole_writer

RECORD = "_run.json"
_PART = re.compile(r"part-(\d+)\.parquet")
_COUNTS = b"biaffinity"  # the key of a file's metadata


def as_row(document: Document) -> dict[str, Any]:
    """A document as a row of Parquet."""
    return document.to_dict(tokens=False)


class ParquetParts(PartsOutput[dict[str, Any]]):
    """A folder that is new, or of a run that is gone on with."""

    render = staticmethod(as_row)

    def __init__(self, out: str) -> None:
        parquet_library("writing Parquet")
        # Those that write are in other folders.
        self.out = out.rstrip("/") if "://" in out else str(Path(out).absolute())
        self.title = out
        self.failed_at = f"{self.out}/_part-*.failed.jsonl"
        self._stack = ExitStack()

    def begin(
        self, settings: Mapping[str, Any], source: Mapping[str, Any], *, resume: bool, force: bool
    ) -> dict[int, PartResult]:
        """The parts that are there; those with documents that failed are to be done again."""
        self._fs, self._path = filesystem(self.out)
        told = json.loads(json.dumps({**settings, **source}))
        if "://" not in self.out:
            path = Path(self._path)
            self._stack.enter_context(sole_writer(path, path.parent / f"{path.name}.lock"))
        try:
            there = self._names()
            if RECORD in there:
                self._compare(told, resume=resume)
            elif there:
                raise UsageError(
                    "is there already, and nothing in it tells what made it",
                    where=self.title,
                    remedy="name another --out, or delete it",
                )
            else:
                self._fs.create_dir(self._path)
                self._write_bytes(RECORD, json.dumps(sealed(told), indent=1).encode())
            numbers = [int(found[1]) for name in there if (found := _PART.fullmatch(name))]
            results = {number: self._counts(number) for number in numbers}
        except OSError as error:
            raise DataError(f"cannot be written: {error}", where=self.title) from error
        return {number: result for number, result in results.items() if not result.skipped}

    def writer(self) -> Callable[[int, Sequence[dict[str, Any]], Sequence[Failure]], PartResult]:
        """Writes a file per part."""
        return partial(write_part, self.out)

    def finish(self, results: Mapping[int, PartResult]) -> None:
        """Nothing is left to do: every part is a file."""

    def close(self) -> None:
        """Leave it."""
        self._stack.close()

    def _names(self) -> set[str]:
        selector = file_systems().FileSelector(self._path, allow_not_found=True)
        return {info.base_name for info in self._fs.get_file_info(selector)}

    def _compare(self, told: dict[str, Any], *, resume: bool) -> None:
        """Whether what is there may be gone on with."""
        if not resume:
            raise UsageError(
                "is there already", where=self.title, remedy="--resume goes on with it; or name another --out"
            )
        with self._fs.open_input_stream(f"{self._path}/{RECORD}") as file:
            raw = file.read()
        try:
            record = json.loads(raw)
        except ValueError:
            record = {}
        if not is_sound(record):
            raise DataError(
                "is damaged", where=f"{self.out}/{RECORD}", remedy="delete the folder and start again"
            )
        record.pop("sha256")
        same_settings(told, record, self.title, "the run that made it")

    def _counts(self, number: int) -> PartResult:
        pyarrow, parquet = parquet_library("reading Parquet")
        name = f"part-{number:05d}.parquet"
        try:
            with self._fs.open_input_file(f"{self._path}/{name}") as file:
                return PartResult(**json.loads(parquet.read_schema(file).metadata[_COUNTS]))
        except (pyarrow.ArrowException, KeyError, TypeError, ValueError) as error:
            raise DataError(
                f"is damaged: {error}", where=f"{self.out}/{name}", remedy="delete it, then --resume makes it"
            ) from error

    def _write_bytes(self, name: str, raw: bytes) -> None:
        with self._fs.open_output_stream(f"{self._path}/{name}") as file:
            file.write(raw)


def write_part(
    out: str, number: int, rows: Sequence[dict[str, Any]], failures: Sequence[Failure]
) -> PartResult:
    """Write the files of a part; the documents last, since they say that it is done."""
    pyarrow, parquet = parquet_library("writing Parquet")
    fs, path = filesystem(out)
    result = PartResult(len(rows), len(failures))
    schema = arrow_schema().with_metadata({_COUNTS: json.dumps(asdict(result))})
    failed = f"{path}/_part-{number:05d}.failed.jsonl"
    local = "://" not in out
    try:
        if failures:
            lines = "".join(json.dumps(asdict(failure)) + "\n" for failure in failures)
            with _WholeFile(fs, failed, local=local) as file:
                file.write(lines.encode())
        with _WholeFile(fs, f"{path}/part-{number:05d}.parquet", local=local) as file:
            parquet.write_table(pyarrow.Table.from_pylist(list(rows), schema), file)
        if not failures and fs.get_file_info(failed).is_file:
            fs.delete_file(failed)
    except OSError as error:
        raise DataError(
            f"cannot be written: {error}", where=out, remedy="make room, then --resume"
        ) from error
    return result


class _WholeFile:
    """A file to write that is there when it is whole: an object store sees to it, a disk needs a rename."""

    def __init__(self, fs: Any, path: str, *, local: bool) -> None:
        self.fs, self.path = fs, path
        folder, _, name = path.rpartition("/")
        self.written = f"{folder}/.{name}.{platform.node()}.{os.getpid()}" if local else path

    def __enter__(self) -> Any:
        self.file = self.fs.open_output_stream(self.written)
        return self.file

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.file.close()
        if self.written != self.path:
            if kind is None:
                self.fs.move(self.written, self.path)
            else:
                self.fs.delete_file(self.written)
