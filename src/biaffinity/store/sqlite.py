"""SQLite: a store in one file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from biaffinity.errors import BiaffinityError, DataError, UsageError
from biaffinity.files import refused
from biaffinity.locks import sole_writer
from biaffinity.store.database import Database, Row

#: How a file's name ends that is an SQLite database.
SUFFIXES = (".db", ".sqlite", ".sqlite3")
_AT_ONCE = 500  # values in one statement: every build of SQLite takes as many
_CACHE = 64 * 1024  # kilobytes of pages at most: large indexes are written in no order
_PATIENCE = 30.0  # seconds to wait for another writer's transaction


class SQLite(Database):
    """A database in a file; one that is not there is made.

    Others can read while it is written (write-ahead log), and what is committed is on the disk.
    """

    words = {  # noqa: RUF012
        "key": "INTEGER PRIMARY KEY AUTOINCREMENT",
        "whole": "INTEGER",
        "number": "REAL",
        "moment": "TEXT",
        "equality": "",
        "by_key": "WITHOUT ROWID",
    }
    holds_nul = True
    equals_by_key = True

    def __init__(self, path: Path, *, patience: float = _PATIENCE) -> None:
        self.path = path
        self.title = str(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise refused("written", path, error) from error
        if path.is_dir():
            raise DataError("is a folder, a file is to be written here", where=self.title)
        with self._faults():
            # Transactions are ours to begin and end. The service writes from another thread than it opens in.
            self._connection = sqlite3.connect(
                path, isolation_level=None, timeout=patience, check_same_thread=False
            )
        try:
            with self._faults():
                self._connection.execute("PRAGMA journal_mode = WAL")
                self._connection.execute("PRAGMA synchronous = FULL")
                self._connection.execute("PRAGMA foreign_keys = ON")
                self._connection.execute("PRAGMA temp_store = MEMORY")
                self._connection.execute(f"PRAGMA cache_size = -{_CACHE}")
        except BiaffinityError:
            self._connection.close()
            raise

    def tables(self) -> set[str]:
        """The names of all its tables."""
        rows = self.select("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        return {name for (name,) in rows}

    @contextmanager
    def transaction(self, *, alone: bool = False) -> Iterator[None]:
        """All or nothing; SQLite has one writer at a time in any case."""
        self.change("BEGIN IMMEDIATE")
        try:
            yield
            self.change("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # an error such as a full disk ends it by itself
                self._connection.execute("ROLLBACK")
            raise

    @contextmanager
    def sole_writer(self, what: str) -> Iterator[None]:
        """One run at a time writes a file."""
        with sole_writer(self.path, self.path.with_name(f"{self.path.name}.lock")):
            yield

    def select(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """The rows that a query gives."""
        with self._faults():
            return self._connection.execute(statement, values).fetchall()

    def change(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Execute a statement; how many rows it changed."""
        with self._faults():
            return self._connection.execute(statement, values).rowcount

    def select_among(self, statement: str, values: Sequence[Any]) -> list[Row]:
        """The rows of a query that ends with a column, which is one of ``values``."""
        return [
            row for some in _pieces(values) for row in self.select(f"{statement} IN {_marks(some)}", some)
        ]

    def change_among(self, statement: str, values: Sequence[Any]) -> None:
        """Execute a statement that ends with a column, which is one of ``values``."""
        for some in _pieces(values):
            self.change(f"{statement} IN {_marks(some)}", some)

    def change_each(self, statement: str, rows: Iterable[Row]) -> None:
        """Execute a statement once for each row of values."""
        with self._faults():
            self._connection.executemany(statement, rows)

    def insert(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Add rows."""
        self.change_each(f"INSERT INTO {table} ({', '.join(columns)}) VALUES {_marks(columns)}", rows)

    def reserve(self, table: str, count: int) -> range:
        """Keys above all that ever were; they are ours as long as the transaction lasts."""
        rows = self.select("SELECT seq FROM sqlite_sequence WHERE name = ?", [table])
        last = rows[0][0] if rows else 0
        return range(last + 1, last + 1 + count)

    def watch(self, table: str, into: str) -> None:
        """A trigger for each kind of change."""
        for event, row in (("INSERT", "new"), ("UPDATE", "new"), ("DELETE", "old")):
            self.change(
                f"CREATE TRIGGER {into}_{event.lower()} AFTER {event} ON {table} "
                f"BEGIN INSERT INTO {into} (document) VALUES ({row}.id); END"
            )

    def scratch(self, table: str, columns: Mapping[str, str], rows: Iterable[Row]) -> None:
        """A temporary table."""
        self.change(f"DROP TABLE IF EXISTS temp.{table}")
        described = ", ".join(f"{name} {kind.format(**self.words)}" for name, kind in columns.items())
        self.change(f"CREATE TEMP TABLE {table} ({described})")
        self.insert(table, list(columns), rows)

    def settle(self) -> None:
        """Nothing: our indexes are chosen by rule."""

    def only_read(self) -> None:
        """Refuse all changes from now on."""
        self.change("PRAGMA query_only = ON")

    def interrupt(self) -> None:
        """End the statement that another thread is at."""
        self._connection.interrupt()

    def close(self) -> None:
        """Leave it: the write-ahead log goes with the last who does."""
        self._connection.close()

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._told(error) from error

    def _told(self, error: sqlite3.Error) -> BiaffinityError:
        what = str(error)
        if "locked" in what or "busy" in what:
            return UsageError(
                "another process is writing it", where=self.title, remedy="wait for its end and try again"
            )
        if "not a database" in what:
            return DataError("is no SQLite database", where=self.title, remedy="name another file")
        if "malformed" in what:
            return DataError(
                f"is damaged: {what}", where=self.title, remedy="restore a copy of it, or name another file"
            )
        full = "full" in what or "disk I/O" in what
        remedy = "make room, then --resume goes on" if full else "check the file and its permissions"
        return DataError(f"cannot be written: {what}", where=self.title, remedy=remedy)


def _pieces(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(values), _AT_ONCE):
        yield values[start : start + _AT_ONCE]


def _marks(values: Sequence[Any]) -> str:
    """Places for some values.

    >>> _marks("abc")
    '(?, ?, ?)'
    """
    return f"({', '.join('?' * len(values))})"
