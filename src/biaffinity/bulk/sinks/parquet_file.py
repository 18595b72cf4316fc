"""Parquet: a row per document, with lists of entities and relations."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

from biaffinity.annotation.schema import arrow_schema
from biaffinity.bulk.readers import parquet_library
from biaffinity.bulk.sinks.format import Format
from biaffinity.bulk.sinks.json_lines import json_line

_ROWS = 1024  # held at once


def parquet_file() -> Format:
    """A row per document; without its extra an error now, not at the end."""
    parquet_library("writing Parquet")
    return Format("parquet", json_line, finish=_finish)


def _finish(records: Path, out: Path, single: bool) -> None:
    pyarrow, parquet = parquet_library("writing Parquet")
    schema = arrow_schema()
    with (
        records.open(encoding="utf-8", newline="\n") as lines,
        parquet.ParquetWriter(out, schema) as writer,
    ):
        while rows := [json.loads(line) for line in islice(lines, _ROWS)]:
            writer.write_table(pyarrow.Table.from_pylist(rows, schema))
