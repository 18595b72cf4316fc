from __future__ import annotations

import sys
from dataclasses import replace
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from biaffinity.errors import DataError, MissingExtraError, UsageError
from biaffinity.store import open_store
from biaffinity.store import postgresql as module
from biaffinity.store.database import ConflictError
from biaffinity.store.documents import DocumentWriter, stored
from bulk.sinks.example import DOCUMENT

if TYPE_CHECKING:
    from store.server import Server


def test_without_its_extra_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"PostgreSQL needs .*biaffinity\[postgresql\]"):
        open_store("postgresql://localhost/facts")


def test_a_server_that_cannot_be_reached_is_told_without_the_password() -> None:
    pytest.importorskip("psycopg", reason="needs the extra postgresql")
    with pytest.raises(DataError) as caught:
        open_store("postgresql://ana:secret@/facts?host=/nonexistent")
    assert str(caught.value).startswith("postgresql://ana@/facts?host=/nonexistent: cannot be reached: ")
    assert "secret" not in str(caught.value)


def test_an_url_that_makes_no_sense_is_told() -> None:
    pytest.importorskip("psycopg", reason="needs the extra postgresql")
    with pytest.raises(DataError, match="cannot be reached"):
        open_store("postgresql://localhost/facts?nonsense=1")


def test_a_database_of_another_encoding_is_refused(postgresql: Server) -> None:
    with pytest.raises(DataError, match="holds characters as SQL_ASCII, UTF8 is needed"):
        open_store(postgresql.empty_database("ascii", "SQL_ASCII"))


def test_tables_of_others_are_no_concern_of_ours(postgresql: Server) -> None:
    url = postgresql.empty_database()
    with module.PostgreSQL(url) as database:
        database.change("CREATE TABLE public.documents (mine TEXT)")
    with open_store(url) as database:
        assert database.select("SELECT count(*) FROM documents") == [(0,)]
        assert database.select("SELECT count(*) FROM public.documents") == [(0,)]
        assert database.select("SELECT * FROM biaffinity.relation_rows") == []


def test_a_user_without_rights_is_told_so(postgresql: Server) -> None:
    url = postgresql.empty_database()
    with module.PostgreSQL(url) as database:
        database.change("DROP ROLE IF EXISTS bo")
        database.change("CREATE ROLE bo LOGIN")
    with pytest.raises(DataError, match=r"may not be written: .*permission denied .*let the user"):
        open_store(url.replace("ana@", "bo@"))


def test_a_server_that_goes_away_in_a_transaction_is_told_and_nothing_is_kept(postgresql: Server) -> None:
    url = postgresql.empty_database()
    with open_store(url) as database:
        writer = DocumentWriter(database, "m", {})
        with database.transaction():
            writer.write([stored(DOCUMENT)])

        def write_while_it_goes_away() -> None:
            with database.transaction():
                writer.write([stored(replace(DOCUMENT, id="other"))])
                postgresql.stop()
                postgresql.start()

        with pytest.raises(DataError, match=r"the server has gone away: .*\(--resume goes on"):
            write_while_it_goes_away()
    with open_store(url) as database:
        assert database.select("SELECT name FROM documents") == [("a,b",)]


def test_two_writers_of_one_document_at_the_same_moment(postgresql: Server) -> None:
    url = postgresql.empty_database()
    with open_store(url) as one, open_store(url) as other:
        one.change("INSERT INTO models (name) VALUES ('m')")
        other.change("SET lock_timeout = '50ms'")
        with one.transaction():
            DocumentWriter(one, "m", {}).write([stored(DOCUMENT)])
            # It waits for the first to end; that it gave up waiting is what we see here.
            with pytest.raises(UsageError, match="another process"), other.transaction():
                DocumentWriter(other, "m", {}).write([stored(DOCUMENT)])
        with pytest.raises(ConflictError, match="another process wrote the same documents"):
            other.change("INSERT INTO models (name) SELECT name FROM models")


def test_two_writers_who_change_one_document_leave_the_rows_of_one(postgresql: Server) -> None:
    url = postgresql.empty_database()
    with open_store(url) as one, open_store(url) as other:
        with one.transaction():
            DocumentWriter(one, "m", {}).write([stored(DOCUMENT)])
        later = replace(DOCUMENT, sentences=DOCUMENT.sentences * 2)

        def change() -> None:
            other.transact(lambda: DocumentWriter(other, "m", {}).write([stored(later)]))

        thread = Thread(target=change)
        with one.transaction():
            DocumentWriter(one, "n", {}).write([stored(DOCUMENT)])
            thread.start()
            thread.join(0.5)
            assert thread.is_alive(), "it did not wait"
        thread.join()
        assert one.select("SELECT count(*) FROM mentions") == [(len(later.entities),)]
        assert one.select("SELECT text FROM documents") == [(later.text,)]


def test_a_run_has_one_writer_and_others_go_on(postgresql: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    url = postgresql.empty_database()
    monkeypatch.setattr(module, "_PATIENCE", 1)
    with open_store(url) as one, open_store(url) as other, one.sole_writer("a"):
        with (
            pytest.raises(UsageError, match="another process is writing the same run"),
            other.sole_writer("a"),
        ):
            pass
        with other.sole_writer("b"):
            pass
    with open_store(url) as one, one.sole_writer("a"):
        pass
