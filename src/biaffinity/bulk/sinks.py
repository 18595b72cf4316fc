"""Where documents go: JSON, JSON lines, CSV, Parquet.

A document is first a record of text, made where it was annotated; records in order make a file. JSON and
Parquet are made from records of JSON lines once all of them are there, so every format can be taken up again
after a stop.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

from biaffinity.annotation import Document
from biaffinity.annotation.tables import RELATION_COLUMNS, relation_rows
from biaffinity.bulk.readers import parquet_library
from biaffinity.errors import UsageError

_ROWS = 1024  # of Parquet held at once


def json_line(document: Document, *, tokens: bool = False) -> str:
    """One line of JSON; with ``tokens``, the document can be had again from it."""
    return document.to_json(tokens=tokens) + "\n"


def csv_rows(document: Document) -> str:
    """A row of CSV for every relation; a document without relations has none."""
    rows = io.StringIO()
    csv.writer(rows, lineterminator="\n").writerows(
        relation_rows(document, document.id)  # an unknown score is blank
    )
    return rows.getvalue()


@dataclass(frozen=True, slots=True)
class Format:
    """A format to write: what a document becomes in it, and how records become the whole.

    ``pieces`` makes text of the records, told whether there can be but one. ``finish`` turns the file
    of records into the whole file; where it is None, the file of records is whole as it stands.
    """

    name: str
    render: Callable[[Document], str]
    header: str = ""
    pieces: Callable[[Iterable[str], bool], Iterator[str]] | None = None
    finish: Callable[[Path, Path, bool], None] | None = None

    def whole(self, records: Iterable[str], single: bool) -> Iterator[str]:
        """What to write for these records, piece by piece."""
        if self.pieces is not None:
            yield from self.pieces(records, single)
        else:
            if self.header:
                yield self.header
            yield from records


def format_named(name: str | None, out: Path | None = None, *, tokens: bool = False) -> Format:
    """The format of that name, or of that file's name, or JSON lines; it must be one that can be written.

    >>> format_named(None, Path("facts.csv")).name
    'csv'
    """
    if name is None:
        suffix = "" if out is None else out.suffix.removeprefix(".").lower()
        name = suffix if suffix in _FORMATS else "jsonl"
    if name not in _FORMATS:
        raise UsageError(f"unknown format {name!r}", remedy=f"one of {', '.join(_FORMATS)}")
    if name == "parquet":
        if out is None:
            raise UsageError("Parquet cannot go to stdout", remedy="name a file with --out")
        parquet_library("writing Parquet")  # find out now, not at the end
    if not tokens:
        return _FORMATS[name]
    if name not in _WITH_TOKENS:
        raise UsageError(f"{name} has no place for tokens", remedy=f"one of {', '.join(_WITH_TOKENS)} has")
    return _WITH_TOKENS[name]


def _json_pieces(lines: Iterable[str], single: bool) -> Iterator[str]:
    """One object, easy to read, or an array with an object per line."""
    if single:
        for line in lines:
            yield json.dumps(json.loads(line), ensure_ascii=False, indent=2) + "\n"
        return
    separator = "[\n"
    for line in lines:
        yield separator + line.removesuffix("\n")
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


def _finish_json(records: Path, out: Path, single: bool) -> None:
    with (
        records.open(encoding="utf-8", newline="\n") as lines,
        out.open("w", encoding="utf-8", newline="\n") as file,
    ):
        file.writelines(_json_pieces(lines, single))


def _finish_parquet(records: Path, out: Path, single: bool) -> None:
    """A row per document, with lists of entities and relations."""
    pyarrow, parquet = parquet_library("writing Parquet")
    place = [("start_char", pyarrow.int64()), ("end_char", pyarrow.int64()), ("score", pyarrow.float64())]
    entity = pyarrow.struct([("text", pyarrow.string()), ("type", pyarrow.string()), *place])
    arguments = [("head", pyarrow.int64()), ("tail", pyarrow.int64()), ("score", pyarrow.float64())]
    relation = pyarrow.struct([("type", pyarrow.string()), *arguments])
    schema = pyarrow.schema(
        [
            ("id", pyarrow.string()),
            ("text", pyarrow.string()),
            ("entities", pyarrow.list_(entity)),
            ("relations", pyarrow.list_(relation)),
        ]
    )
    with (
        records.open(encoding="utf-8", newline="\n") as lines,
        parquet.ParquetWriter(out, schema) as writer,
    ):
        while rows := [json.loads(line) for line in islice(lines, _ROWS)]:
            writer.write_table(pyarrow.Table.from_pylist(rows, schema))


_FORMATS = {
    "json": Format("json", json_line, pieces=_json_pieces, finish=_finish_json),
    "jsonl": Format("jsonl", json_line),
    "csv": Format("csv", csv_rows, header=",".join(RELATION_COLUMNS) + "\n"),
    "parquet": Format("parquet", json_line, finish=_finish_parquet),
}
_WITH_TOKENS = {
    name: replace(_FORMATS[name], render=partial(json_line, tokens=True)) for name in ("json", "jsonl")
}
