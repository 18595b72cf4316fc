"""Folders of Parquet and stores, written part by part."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from biaffinity.bulk.sinks import Failure
from biaffinity.cluster.output import PartResult, PartsOutput
from biaffinity.cluster.parquet_parts import ParquetParts
from biaffinity.cluster.store_parts import StoreParts
from biaffinity.errors import DataError, UsageError
from biaffinity.store import open_store
from bulk.sinks.example import DOCUMENT
from paragraph import PARAGRAPH

parquet: Any = pytest.importorskip("pyarrow.parquet", reason="needs the extra tables")
SOURCE = {"input": ["in.jsonl"], "parts": 3}


@pytest.fixture(params=["parquet", "postgresql"])
def out(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "parquet":
        return str(tmp_path / "out")
    return str(request.getfixturevalue("postgresql").empty_database())


def output(out: str) -> PartsOutput[Any]:
    return StoreParts(out, "m") if out.startswith("postgresql") else ParquetParts(out)


def names(out: str) -> list[str]:
    """The documents that are there."""
    if out.startswith("postgresql"):
        with open_store(out) as database:
            return sorted(name for (name,) in database.select("SELECT name FROM documents"))
    return sorted(
        name
        for path in Path(out).glob("part-*.parquet")
        for name in parquet.read_table(path)["id"].to_pylist()
    )


def test_a_part_is_there_once_however_often_it_is_written(out: str) -> None:
    with output(out) as begun:
        assert begun.begin({}, SOURCE, resume=False, force=False) == {}
        write, record = begun.writer(), begun.render(DOCUMENT)
        assert write(0, [record], []) == write(0, [record], []) == PartResult(1, 0)
    assert names(out) == ["a,b"]


def test_the_parts_of_an_earlier_run_are_not_done_again_but_for_those_that_failed(out: str) -> None:
    with output(out) as begun:
        begun.begin({}, SOURCE, resume=False, force=False)
        write = begun.writer()
        write(0, [begun.render(DOCUMENT)], [])
        write(2, [], [Failure(7, "in.jsonl:8: boom")])
    with output(out) as begun:
        assert begun.begin({}, SOURCE, resume=True, force=False) == {0: PartResult(1, 0)}
        begun.writer()(2, [begun.render(PARAGRAPH)], [])
        assert begun.failed_at
    with output(out) as begun:
        done = begun.begin({}, SOURCE, resume=True, force=False)
        assert done == {0: PartResult(1, 0), 2: PartResult(1, 0)}
        begun.finish(done)
    assert len(names(out)) == 2


def test_what_failed_is_kept_with_its_reason(out: str) -> None:
    with output(out) as begun:
        begun.begin({}, SOURCE, resume=False, force=False)
        begun.writer()(1, [], [Failure(7, "in.jsonl:8: boom")])
    if out.startswith("postgresql"):
        with open_store(out) as database:
            found = database.select("SELECT part, document, problem FROM failures")
        assert found == [(1, 7, "in.jsonl:8: boom")]
    else:
        lines = (Path(out) / "_part-00001.failed.jsonl").read_text().splitlines()
        assert [json.loads(line) for line in lines] == [{"document": 7, "problem": "in.jsonl:8: boom"}]


def test_other_settings_do_not_go_on_with_a_run(out: str) -> None:
    with output(out) as begun:
        begun.begin({"--min-score": 0.5}, SOURCE, resume=False, force=False)
    with output(out) as begun, pytest.raises(UsageError, match=r"had --min-score 0\.5, this one has 0\.7"):
        begun.begin({"--min-score": 0.7}, SOURCE, resume=True, force=False)


def test_an_earlier_run_is_not_written_over(out: str) -> None:
    with output(out) as begun:
        begun.begin({}, SOURCE, resume=False, force=False)
    with output(out) as begun, pytest.raises(UsageError, match=r"is there already|did not come to its end"):
        begun.begin({}, SOURCE, resume=False, force=False)


def test_parts_are_rows_of_parquet_as_one_machine_writes_them(tmp_path: Path) -> None:
    with ParquetParts(str(tmp_path / "out")) as begun:
        begun.begin({}, SOURCE, resume=False, force=False)
        begun.writer()(0, [begun.render(DOCUMENT)], [])
    assert parquet.read_table(tmp_path / "out").to_pylist() == [DOCUMENT.to_dict(tokens=False)]
    assert sorted(path.name for path in tmp_path.rglob("*.*")) == ["_run.json", "part-00000.parquet"]


def test_a_folder_of_somebody_elses_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with (
        ParquetParts(str(tmp_path)) as begun,
        pytest.raises(UsageError, match="nothing in it tells what made"),
    ):
        begun.begin({}, SOURCE, resume=True, force=False)


@pytest.mark.parametrize("name", ["_run.json", "part-00000.parquet"])
def test_damage_is_told(name: str, tmp_path: Path) -> None:
    with ParquetParts(str(tmp_path / "out")) as begun:
        begun.begin({}, SOURCE, resume=False, force=False)
        begun.writer()(0, [begun.render(DOCUMENT)], [])
    (tmp_path / "out" / name).write_bytes(b"damaged")
    with ParquetParts(str(tmp_path / "out")) as begun, pytest.raises(DataError, match=f"{name}: is damaged"):
        begun.begin({}, SOURCE, resume=True, force=False)


def test_a_second_process_is_told_so(tmp_path: Path) -> None:
    with ParquetParts(str(tmp_path / "out")) as one, ParquetParts(str(tmp_path / "out")) as other:
        one.begin({}, SOURCE, resume=False, force=False)
        with pytest.raises(UsageError, match="another process is writing it"):
            other.begin({}, SOURCE, resume=True, force=False)
