from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from biaffinity.errors import DataError, UsageError
from biaffinity.store import open_store
from biaffinity.store.sqlite import SQLite


def test_what_is_not_committed_is_as_if_it_had_never_been(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "x.db")) as database:

        def write_and_fail() -> None:
            with database.transaction():
                database.change("INSERT INTO models (name) VALUES ('m')")
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            write_and_fail()
        assert database.select("SELECT * FROM models") == []


def test_others_can_read_while_it_is_written(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "x.db")) as database, database.transaction():
        database.change("INSERT INTO models (name) VALUES ('m')")
        with sqlite3.connect(tmp_path / "x.db") as reader:
            assert reader.execute("SELECT count(*) FROM models").fetchone() == (0,)
        reader.close()


def test_nothing_is_left_beside_a_store_that_was_closed(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "below" / "x.db")) as database:
        database.change("INSERT INTO models (name) VALUES ('m')")
    assert [path.name for path in (tmp_path / "below").iterdir()] == ["x.db"]


def test_a_second_writer_that_waited_long_enough_is_told_so(tmp_path: Path) -> None:
    with (
        open_store(str(tmp_path / "x.db")) as database,
        SQLite(tmp_path / "x.db", patience=0.01) as other,
        database.transaction(),
        pytest.raises(UsageError, match=r"x\.db: another process is writing it"),
        other.transaction(),
    ):
        pass


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text("these are my notes, and not a database\n" * 100)
    with pytest.raises(DataError, match=r"x\.db: is no SQLite database"):
        open_store(str(tmp_path / "x.db"))
    assert (tmp_path / "x.db").read_text().startswith("these are my notes")


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a folder"):
        open_store(str(tmp_path))


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="cannot be written"):
        open_store(str(tmp_path / "file" / "x.db"))


def test_damage_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    open_store(str(path)).close()
    tables = path.stat().st_size
    with open_store(str(path)) as database:
        many = [(f"model {number}",) for number in range(2000)]
        with database.transaction():
            database.change_each("INSERT INTO models (name) VALUES (?)", many)
    raw = bytearray(path.read_bytes())
    raw[tables:] = bytes(len(raw) - tables)
    path.write_bytes(raw)
    with open_store(str(path)) as database, pytest.raises(DataError, match=r"x\.db: is damaged"):
        database.select("SELECT count(*), max(name), sum(id) FROM models")


def test_a_full_disk_loses_nothing_that_was_committed(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "x.db")) as database:
        database.change("INSERT INTO models (name) VALUES ('m')")
        ((pages,),) = database.select("PRAGMA page_count")
        database.select(f"PRAGMA max_page_count = {pages + 2}")
        many = [(f"model {number}",) for number in range(2000)]
        full = pytest.raises(DataError, match=r"is full \(make room, then --resume goes on\)")
        with full, database.transaction():
            database.change_each("INSERT INTO models (name) VALUES (?)", many)
        database.select("PRAGMA max_page_count = 100000")
        assert database.select("SELECT name FROM models") == [("m",)]
        with database.transaction():
            database.change("INSERT INTO models (name) VALUES ('n')")
