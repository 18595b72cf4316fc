"""Where documents go: JSON, JSON lines, CSV, Parquet, or any format of annotated text.

A document is first a record of text, made where it was annotated; records in order make a file. All but JSON
lines and CSV are made from records of JSON lines once all of them are there, so every format can be taken up
again after a stop.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from biaffinity import formats
from biaffinity.annotation import Document, Sentence
from biaffinity.annotation.tables import RELATION_COLUMNS, relation_rows
from biaffinity.bulk.readers import parquet_library
from biaffinity.errors import UsageError

_ROWS = 1024  # of Parquet held at once
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def json_line(document: Document, *, tokens: bool = False) -> str:
    """One line of JSON; with ``tokens``, the document can be had again from it."""
    return document.to_json(tokens=tokens) + "\n"


def csv_rows(document: Document) -> str:
    """A row of CSV for every relation; a document without relations has none."""
    rows = io.StringIO()
    csv.writer(rows, lineterminator="\n").writerows(
        tuple(map(_defused, row))
        for row in relation_rows(document, document.id)  # an unknown score is blank
    )
    return rows.getvalue()


def raw_csv_rows(document: Document) -> str:
    """The same with every cell as it is."""
    rows = io.StringIO()
    csv.writer(rows, lineterminator="\n").writerows(relation_rows(document, document.id))
    return rows.getvalue()


def _defused(cell: Any) -> Any:
    """A cell that no spreadsheet takes for a formula: an apostrophe in front makes it a text.

    >>> _defused("=HYPERLINK(1)"), _defused("Oslo"), _defused(-0.5)
    ("'=HYPERLINK(1)", 'Oslo', -0.5)
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


@dataclass(frozen=True, slots=True)
class Format:
    """A format to write: what a document becomes in it, and how records become the whole.

    ``pieces`` makes text of the records, told whether there can be but one. ``finish`` turns the file
    of records into the whole file, or folder; where it is None, the file of records is whole as it stands.
    ``report`` says what had to change to be written so.
    """

    name: str
    render: Callable[[Document], str]
    header: str = ""
    pieces: Callable[[Iterable[str], bool], Iterator[str]] | None = None
    finish: Callable[[Path, Path, bool], None] | None = None
    is_folder: bool = False
    report: formats.Report = field(default_factory=formats.Report, compare=False)

    def whole(self, records: Iterable[str], single: bool) -> Iterator[str]:
        """What to write for these records, piece by piece."""
        if self.pieces is not None:
            yield from self.pieces(records, single)
        else:
            if self.header:
                yield self.header
            yield from records


def format_named(
    name: str | None,
    out: str | Path | None = None,
    *,
    tokens: bool = False,
    raw_cells: bool = False,
    by: formats.Machine | None = None,
) -> Format:
    """The format of that name, or the one that the file's name tells; JSON lines where there is neither.

    A folder is brat's. ``raw_cells`` leaves cells of CSV as they are, even those that a spreadsheet takes for
    formulas. What annotation tools are given is signed ``by`` the model.

    >>> format_named(None, "facts.csv").name, format_named(None, "facts.labelstudio.json").name
    ('csv', 'labelstudio')
    """
    if name is None:
        name = "jsonl" if out is None else _told_by_name(out)
    if name not in NAMES:
        # The command line has one more, which is no file's.
        raise UsageError(f"unknown format {name!r}", remedy=f"one of table, {', '.join(NAMES)}")
    if out is None and (name == "parquet" or name not in _FORMATS):
        title = "Parquet" if name == "parquet" else name
        raise UsageError(f"{title} cannot go to stdout", remedy="name a file with --out")
    if name == "parquet":
        parquet_library("writing Parquet")  # find out now, not at the end
    if raw_cells and name != "csv":
        raise UsageError(f"{name} has no cells to leave raw", remedy="ask for csv")
    if tokens and name not in _WITH_TOKENS:
        raise UsageError(f"{name} has no place for tokens", remedy=f"one of {', '.join(_WITH_TOKENS)} has")
    if raw_cells:
        return replace(_FORMATS[name], render=raw_csv_rows)
    if name in _FORMATS:
        return _WITH_TOKENS[name] if tokens else _FORMATS[name]
    report = formats.Report()
    finish = partial(_finish_annotation, name, by, report)
    render = partial(json_line, tokens=True)
    return Format(name, render, finish=finish, is_folder=name == formats.brat.NAME, report=report)


def _told_by_name(out: str | Path) -> str:
    """The format that a name tells: ``x.labelstudio.json`` and ``x.csv`` say it, and so does a folder."""
    path = Path(out)
    if str(out).endswith(("/", os.sep)) or path.is_dir():
        return formats.brat.NAME
    told = [suffix.removeprefix(".").lower() for suffix in path.suffixes]
    for suffix in (*(each for each in told if each not in _FORMATS), *told[-1:]):
        if suffix in NAMES:
            return suffix
    raise UsageError(
        "does not tell its format by its name",
        where=str(out),
        remedy=f"say which: --format, one of {', '.join(NAMES)}",
    )


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


def _finish_annotation(
    name: str, by: formats.Machine | None, report: formats.Report, records: Path, out: Path, single: bool
) -> None:
    """The documents in a format of annotated text."""
    shared = ""
    if name == formats.brat.NAME:  # its folder takes the place of the one that the texts lie in
        with records.open(encoding="utf-8", newline="\n") as lines:
            shared = _shared_folder(json.loads(line)["id"] for line in lines)
    with records.open(encoding="utf-8", newline="\n") as lines:
        sentences = _sentences(map(Document.from_json, lines), shared, report)
        formats.write(out, sentences, name, report, by=by)


def _sentences(documents: Iterable[Document], shared: str, report: formats.Report) -> Iterator[Sentence]:
    """The sentences of documents, each named after its own, whose name is no other's."""
    taken: Counter[str] = Counter()
    for document in documents:
        own = name = document.id.removeprefix(shared)
        while name in taken:
            taken[own] += 1
            name = f"{own}-{taken[own]}"
        taken[name] += 1
        if not document.sentences:
            report.note("empty document left out", name)
        for number, sentence in enumerate(document.sentences):
            id_ = name if len(document.sentences) == 1 else f"{name}:{number}"
            yield replace(sentence, id=id_, document=name)


def _shared_folder(ids: Iterable[str]) -> str:
    """The folder that all files lie in, if documents are called by their files, with its last slash."""
    folders = {os.path.split(name)[0] if name.endswith(".txt") else "" for name in ids}
    if not folders or "" in folders or len(set(map(os.path.isabs, folders))) > 1:
        return ""
    common = os.path.commonpath(folders)
    return common.rstrip(os.sep) + os.sep if common else ""


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
#: All that can be written: documents, and the formats of annotated text.
NAMES = tuple(dict.fromkeys((*_FORMATS, *formats.FORMATS)))
