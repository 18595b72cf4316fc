from __future__ import annotations

import pytest

from biaffinity.bulk.sinks import NAMES, format_named, sink_named
from biaffinity.bulk.sinks.store import StoreSink
from biaffinity.errors import UsageError


@pytest.mark.parametrize(
    ("name", "out", "told"),
    [
        (None, None, "jsonl"),
        (None, "x.csv", "csv"),
        (None, "x.JSON", "json"),
        ("csv", "x.json", "csv"),
        ("jsonl", "x", "jsonl"),
        (None, "x.brat", "brat"),
        (None, "x/", "brat"),
        (None, "x.labelstudio.json", "labelstudio"),
        (None, "x.doccano.jsonl", "doccano"),
        (None, "x.spert.json", "spert"),
        (None, "x.json.csv", "csv"),
    ],
)
def test_the_format_is_told_by_its_name_or_the_files(name: str | None, out: str | None, told: str) -> None:
    assert format_named(name, out).name == told


@pytest.mark.parametrize(
    ("out", "name"),
    [
        ("x.db", None),
        ("X.SQLITE", None),
        ("x", "sqlite"),
        ("postgresql://h/x", None),
        ("postgres:///x", None),
    ],
)
def test_a_store_is_told_by_its_name(out: str, name: str | None) -> None:
    assert isinstance(sink_named(name, out), StoreSink)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"tokens": True}, "sqlite has no place for tokens (one of json, jsonl has)"),
        ({"raw_cells": True}, "sqlite has no cells to leave raw (ask for csv)"),
    ],
)
def test_what_a_store_cannot_hold_is_wrong_use(options: dict[str, bool], problem: str) -> None:
    with pytest.raises(UsageError) as caught:
        sink_named(None, "facts.db", **options)
    assert str(caught.value) == problem


@pytest.mark.parametrize("out", ["x", "x.out", "x.jsonl.gz", "x.txt", "x.xml"])
def test_a_name_that_tells_no_format_is_wrong_use(out: str) -> None:
    with pytest.raises(UsageError, match=f"^{out}: does not tell its format by its name .say which: --f"):
        format_named(None, out)


@pytest.mark.parametrize(
    ("name", "tokens", "problem"),
    [
        ("xml", False, f"unknown format 'xml' (one of table, {', '.join(NAMES)})"),
        ("brat", False, "brat cannot go to stdout (name a file with --out)"),
        ("csv", True, "csv has no place for tokens (one of json, jsonl has)"),
        ("sqlite", False, "SQLite cannot go to stdout (name a file with --out)"),
        ("parquet", False, "Parquet cannot go to stdout (name a file with --out)"),
    ],
)
def test_what_cannot_be_written_is_wrong_use(name: str, tokens: bool, problem: str) -> None:
    with pytest.raises(UsageError) as caught:
        format_named(name, tokens=tokens)
    assert str(caught.value) == problem
