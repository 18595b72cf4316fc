"""Which sink a name means: a file tells its format by its name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from biaffinity import formats
from biaffinity.bulk.sinks.annotated_text import annotated_text
from biaffinity.bulk.sinks.csv_rows import csv_of_relations
from biaffinity.bulk.sinks.file import FileSink
from biaffinity.bulk.sinks.format import Format
from biaffinity.bulk.sinks.json_array import json_array
from biaffinity.bulk.sinks.json_lines import json_lines
from biaffinity.bulk.sinks.parquet_file import parquet_file
from biaffinity.bulk.sinks.sink import Sink
from biaffinity.errors import UsageError

_WITH_TOKENS = {"json": json_array, "jsonl": json_lines}
_RECORDS = (*_WITH_TOKENS, "csv", "parquet")
_STORE = "sqlite"
#: All formats of files: documents, the store, and the formats of annotated text.
NAMES = tuple(dict.fromkeys((*_RECORDS, _STORE, *formats.FORMATS)))
_TITLES = {"parquet": "Parquet", _STORE: "SQLite"}


def sink_named(
    name: str | None,
    out: str | Path,
    *,
    tokens: bool = False,
    raw_cells: bool = False,
    single: bool = False,
    by: formats.Machine | None = None,
) -> Sink[Any]:
    """Where ``out`` leads: a store, or a file of the format of that name, or of the one its own name tells.

    ``single``: there can be but one document. What is written is signed ``by`` the model where it can be.
    """
    # Who prints documents is not to wait for the libraries of databases.
    from biaffinity.bulk.sinks.store import StoreSink
    from biaffinity.store import is_store

    if name == _STORE or (name is None and is_store(str(out))):
        _refuse(_STORE, tokens, raw_cells)
        return StoreSink(str(out), "" if by is None else by.version)
    return FileSink(
        Path(out), format_named(name, out, tokens=tokens, raw_cells=raw_cells, by=by), single=single
    )


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
    if out is None and (name == "parquet" or name not in _RECORDS):
        raise UsageError(f"{_TITLES.get(name, name)} cannot go to stdout", remedy="name a file with --out")
    _refuse(name, tokens, raw_cells)
    if name in _WITH_TOKENS:
        return _WITH_TOKENS[name](tokens=tokens)
    if name == "csv":
        return csv_of_relations(raw_cells=raw_cells)
    return parquet_file() if name == "parquet" else annotated_text(name, by)


def _refuse(name: str, tokens: bool, raw_cells: bool) -> None:
    """An error where a format cannot do what is asked."""
    if raw_cells and name != "csv":
        raise UsageError(f"{name} has no cells to leave raw", remedy="ask for csv")
    if tokens and name not in _WITH_TOKENS:
        raise UsageError(f"{name} has no place for tokens", remedy=f"one of {', '.join(_WITH_TOKENS)} has")


def _told_by_name(out: str | Path) -> str:
    """The format that a name tells: ``x.labelstudio.json`` and ``x.csv`` say it, and so does a folder."""
    path = Path(out)
    if str(out).endswith(("/", os.sep)) or path.is_dir():
        return formats.brat.NAME
    told = [suffix.removeprefix(".").lower() for suffix in path.suffixes]
    for suffix in (*(each for each in told if each not in _RECORDS), *told[-1:]):
        if suffix in NAMES:
            return suffix
    raise UsageError(
        "does not tell its format by its name",
        where=str(out),
        remedy=f"say which: --format, one of {', '.join(NAMES)}",
    )
