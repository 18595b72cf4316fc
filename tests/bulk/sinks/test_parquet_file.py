from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from biaffinity.annotation import Document
from biaffinity.bulk.sinks import format_named
from biaffinity.bulk.sinks.json_lines import json_line
from biaffinity.errors import MissingExtraError
from bulk.sinks.example import DOCUMENT


def test_parquet_without_its_extra_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"^writing Parquet needs .*biaffinity\[tables\]"):
        format_named("parquet", Path("x.parquet"))


def test_parquet_is_not_finished_without_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra tables")
    finish = format_named("parquet", tmp_path / "x.parquet").finish
    assert finish is not None
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"^writing Parquet needs "):
        finish(tmp_path / "records", tmp_path / "x.parquet", False)


def test_parquet_holds_what_json_lines_hold(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra tables")
    parquet = pytest.importorskip("pyarrow.parquet")
    out, records = tmp_path / "x.parquet", tmp_path / "records"
    lines = [json_line(DOCUMENT), json_line(Document([], id="empty"))] * 700
    records.write_text("".join(lines), encoding="utf-8")
    finish = format_named("parquet", out).finish
    assert finish is not None
    finish(records, out, False)
    table = parquet.read_table(out)
    place = "start_char: int64, end_char: int64, score: double"
    assert {column.name: str(column.type) for column in table.schema} == {
        "id": "string",
        "text": "string",
        "entities": f"list<element: struct<text: string, type: string, {place}>>",
        "relations": "list<element: struct<type: string, head: int64, tail: int64, score: double>>",
    }
    assert table.num_rows == len(lines)
    assert parquet.ParquetFile(out).num_row_groups == 2, "all rows were held at once"
    assert table.slice(1398).to_pylist() == [json.loads(line) for line in lines[:2]]
    assert table.to_pylist() == [json.loads(line) for line in lines]


def test_parquet_has_its_columns_where_nothing_was_found(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra tables")
    parquet = pytest.importorskip("pyarrow.parquet")
    out, records = tmp_path / "x.parquet", tmp_path / "records"
    records.write_text(json_line(Document([], id="empty")), encoding="utf-8")
    finish = format_named("parquet", out).finish
    assert finish is not None
    finish(records, out, True)
    (row,) = parquet.read_table(out).to_pylist()
    assert row == {"id": "empty", "text": "", "entities": [], "relations": []}
