from __future__ import annotations

import pytest

from biaffinity.bulk.sinks import NAMES, format_named
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
        ("parquet", False, "Parquet cannot go to stdout (name a file with --out)"),
    ],
)
def test_what_cannot_be_written_is_wrong_use(name: str, tokens: bool, problem: str) -> None:
    with pytest.raises(UsageError) as caught:
        format_named(name, tokens=tokens)
    assert str(caught.value) == problem
