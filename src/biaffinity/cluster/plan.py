"""The input in parts: each is some files, or a piece of one, that is read by itself and always the same.

A part is at most a few megabytes of text: half a minute of work, which is what a kill may cost; less where
there is little text, so that there is work for many. A document is called what it is called on one machine,
by its line or row in the file.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from biaffinity.bulk.readers import parquet_library
from biaffinity.bulk.sources import SUFFIXES
from biaffinity.cluster.locations import Location, filesystem, find_files
from biaffinity.errors import DataError, UsageError

_LARGEST, _SMALLEST, _PARTS = 4 << 20, 64 << 10, 64
_MOST_FILES = 1000  # of plain text in a part
_DELIMITERS = {"csv": ",", "tsv": "\t"}


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the input.

    Of lines, JSON lines and CSV: the bytes from ``start`` to ``end``, with lines ``before`` them, under the
    first ``header`` bytes of the file. Of Parquet: the rows from ``start`` to ``end``. Of plain text: whole
    files. ``size`` is in bytes.
    """

    kind: str
    files: tuple[Location, ...]
    size: int
    start: int = 0
    end: int = 0
    before: int = 0
    header: int = 0


def make_plan(
    names: Sequence[str],
    kind: str | None,
    *,
    part_bytes: int | None = None,
    scan: Callable[[Iterable[tuple[Location, str, int]]], Iterable[list[Part]]] | None = None,
) -> list[Part]:
    """The parts of all inputs, in order; ``scan`` finds the parts of large files, side by side if it can."""
    locations = [location for name in names for location in find_files(name)]
    if part_bytes is None:  # by the input alone: a run that goes on has the same parts
        part_bytes = min(_LARGEST, max(_SMALLEST, sum(each.size for each in locations) // _PARTS))
    parts: list[Part | None] = []
    texts: list[Location] = []
    large: list[tuple[int, tuple[Location, str, int]]] = []

    def end_of_texts() -> None:
        if texts:
            parts.append(Part("text", tuple(texts), sum(text.size for text in texts)))
            texts.clear()

    for location in locations:
        own = kind or _kind_of(location.name)
        if own == "text":
            if texts and (
                len(texts) == _MOST_FILES or sum(t.size for t in texts) + location.size > part_bytes
            ):
                end_of_texts()
            texts.append(location)
            continue
        end_of_texts()
        if own != "parquet" and location.size <= part_bytes:
            parts.append(Part(own, (location,), location.size, 0, location.size))
        else:
            large.append((len(parts), (location, own, part_bytes)))
            parts.append(None)
    end_of_texts()
    found = dict(zip((place for place, _ in large), (scan or _scan_here)(w for _, w in large), strict=True))
    return [part for place, own in enumerate(parts) for part in ([own] if own is not None else found[place])]


def _kind_of(name: str) -> str:
    suffix = PurePosixPath(name).suffix.lower()
    if suffix == ".json":
        raise UsageError(
            "holds JSON, which is read only as JSON lines",
            where=name,
            remedy="write one object per line, or say --from",
        )
    return SUFFIXES.get(suffix, "text")


def _scan_here(wanted: Iterable[tuple[Location, str, int]]) -> Iterator[list[Part]]:
    return (parts_of(*each) for each in wanted)


def parts_of(location: Location, kind: str, part_bytes: int) -> list[Part]:
    """The parts of one file; the whole of it is read over once, but for Parquet."""
    fs, path = filesystem(location.place)
    if kind == "parquet":
        return _parts_of_rows(location, fs, path, part_bytes)
    try:
        with fs.open_input_stream(path) as file:
            cuts = list(_cuts(io.BufferedReader(file, 1 << 20), kind, part_bytes))
    except OSError as error:
        raise DataError(f"cannot be read: {error}", where=location.name) from error
    header, lines_of_header = cuts[0]
    ends = [*(place for place, _ in cuts[1:]), location.size]
    return [
        Part(kind, (location,), end - start, start, end, before - lines_of_header, header)
        for (start, before), end in zip(cuts, ends, strict=True)
        if end > start or len(cuts) == 1
    ]


def _cuts(file: BinaryIO, kind: str, part_bytes: int) -> Iterator[tuple[int, int]]:
    """Where parts begin, in bytes, and the lines before that; the first begins under the header."""
    read = lines = 0

    def counted() -> Iterator[bytes]:
        nonlocal read, lines
        for raw in file:
            read += len(raw)
            lines += 1
            yield raw

    records: Iterator[Any] = counted()
    if kind in _DELIMITERS:
        text = (raw.decode(errors="surrogateescape") for raw in records)
        records = _rows(csv.reader(text, delimiter=_DELIMITERS[kind]))
        next(records, None)
    yield read, lines
    last = read
    for _ in records:
        if read - last >= part_bytes:
            yield read, lines
            last = read


def _rows(reader: Any) -> Iterator[None]:
    """A turn for every row; what is wrong with one is told when its part is read."""
    while True:
        try:
            next(reader)
        except StopIteration:
            return
        except csv.Error:
            pass
        yield


def _parts_of_rows(location: Location, fs: Any, path: str, part_bytes: int) -> list[Part]:
    """Rows of Parquet, as many as a part has bytes of on the average."""
    pyarrow, parquet = parquet_library("reading Parquet")
    try:
        with fs.open_input_file(path) as file:
            metadata = parquet.ParquetFile(file).metadata
            groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
            rows, size = metadata.num_rows, sum(group.total_byte_size for group in groups)
    except (pyarrow.ArrowException, OSError) as error:
        raise DataError(
            f"cannot be read as Parquet: {str(error).splitlines()[0]}", where=location.name
        ) from error
    step = max(1, rows * part_bytes // max(size, part_bytes))
    return [
        Part("parquet", (location,), location.size * (end - start) // rows, start, end)
        for start in range(0, rows, step)
        for end in [min(start + step, rows)]
    ]
