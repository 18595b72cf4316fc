from __future__ import annotations

import pytest

from biaffinity.annotation.tables import RELATION_COLUMNS
from biaffinity.errors import DataError
from biaffinity.store import Database, open_store, tables
from biaffinity.store.naming import SCHEMES
from biaffinity.store.postgresql import PostgreSQL
from biaffinity.store.sqlite import SQLite


def bare(store: str) -> Database:
    """The database without our tables."""
    from pathlib import Path

    return PostgreSQL(store) if store.startswith(SCHEMES) else SQLite(Path(store))


def test_tables_are_made_once(store: str) -> None:
    with open_store(store) as database:
        names = database.tables()
        database.change("INSERT INTO models (name) VALUES ('m')")
    with open_store(store) as database:
        assert database.tables() == names >= {"documents", "mentions", "relation_mentions", "runs"}
        assert database.select("SELECT name FROM models") == [("m",)]
        assert database.select("SELECT version FROM store") == [(len(tables.VERSIONS),)]


def test_a_store_of_an_earlier_version_is_brought_up_to_date(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(store) as database:
        database.change("INSERT INTO models (name) VALUES ('m')")
    more = (*tables.VERSIONS, ("CREATE TABLE more (id {key}, name TEXT NOT NULL)",))
    monkeypatch.setattr(tables, "VERSIONS", more)
    with open_store(store) as database:
        assert "more" in database.tables()
        assert database.select("SELECT name FROM models") == [("m",)]
        assert database.select("SELECT version FROM store") == [(len(more),)]


def test_a_step_that_fails_leaves_the_version_that_was_there(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_store(store).close()
    broken = ("CREATE TABLE more (id {key})", "CREATE NONSENSE")
    with monkeypatch.context() as patch:
        patch.setattr(tables, "VERSIONS", (*tables.VERSIONS, broken))
        with pytest.raises(DataError, match="syntax error"):
            open_store(store)
    with open_store(store) as database:
        assert "more" not in database.tables()


def test_a_store_of_a_later_version_is_refused(store: str) -> None:
    with open_store(store) as database:
        database.change("UPDATE store SET version = 99")
    with pytest.raises(
        DataError, match=r"is a store of version 99, this program knows them up to \d+ \(inst"
    ):
        open_store(store)


def test_a_database_that_is_not_ours_is_left_alone(store: str) -> None:
    with bare(store) as database, database.transaction(alone=True):
        database.change("CREATE TABLE documents (mine TEXT)")
    with pytest.raises(DataError, match="holds tables that are not ours: documents"):
        open_store(store)
    with bare(store) as database:
        assert database.tables() == {"documents"}


def test_the_columns_of_relations_are_those_of_csv_and_data_frames(store: str) -> None:
    with open_store(store) as database:
        columns = ", ".join(RELATION_COLUMNS)
        assert list(database.select(f"SELECT {columns}, model, sentence FROM relation_rows")) == []
