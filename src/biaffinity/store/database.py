"""What is asked of a database, so that all above it is written once.

Statements are plain SQL with ``?`` for a value; what the two databases call differently (`Database.words`) is
filled in when tables are made.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from biaffinity.errors import BiaffinityError

Row = tuple[Any, ...]
T = TypeVar("T")


class ConflictError(BiaffinityError):
    """Another process wrote the same rows at the same moment: the transaction may be tried again."""


class Database(ABC):
    """An open database; use it as a context. Every error of it is one that a user understands."""

    #: How people are told of it; without a password.
    title: str
    #: What it calls a key, a number as large as one, one with a fraction, a moment, an index for equality,
    #: and a table whose rows lie in the order of their key.
    words: Mapping[str, str]
    #: Whether a text may hold the character NUL.
    holds_nul: bool
    #: Whether an index has rows that are equal in its columns by their key.
    equals_by_key: bool

    @abstractmethod
    def tables(self) -> set[str]:
        """The names of all its tables."""

    @abstractmethod
    def transaction(self, *, alone: bool = False) -> AbstractContextManager[None]:
        """All or nothing of what is done in the block; ``alone``: no other such block runs meanwhile."""

    def transact(self, work: Callable[[], T], attempts: int = 5) -> T:
        """What ``work`` gives, done in a transaction; after a conflict with another process once more."""
        try:
            with self.transaction():
                return work()
        except ConflictError:
            if attempts == 1:
                raise
            return self.transact(work, attempts - 1)

    @abstractmethod
    def sole_writer(self, what: str) -> AbstractContextManager[None]:
        """Be the only process that writes ``what`` during the block; else an error."""

    @abstractmethod
    def select(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """The rows that a query gives."""

    @abstractmethod
    def change(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Execute a statement; how many rows it changed."""

    @abstractmethod
    def select_among(self, statement: str, values: Sequence[Any]) -> list[Row]:
        """The rows of a query that ends with a column, which is one of ``values``."""

    @abstractmethod
    def change_among(self, statement: str, values: Sequence[Any]) -> None:
        """Execute a statement that ends with a column, which is one of ``values``."""

    @abstractmethod
    def change_each(self, statement: str, rows: Iterable[Row]) -> None:
        """Execute a statement once for each row of values."""

    @abstractmethod
    def insert(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Add rows."""

    @abstractmethod
    def reserve(self, table: str, count: int) -> Sequence[int]:
        """So many keys of a table, rising, which no row ever had."""

    @abstractmethod
    def watch(self, table: str, into: str) -> None:
        """From now on, note the key of each row of a table that comes, changes or goes, in ``into``."""

    @abstractmethod
    def scratch(self, table: str, columns: Mapping[str, str], rows: Iterable[Row]) -> None:
        """A table for a moment, with these columns and rows; one of that name before is gone.

        SQLite does not know how small it is: name it first in a query, and join others by CROSS JOIN, whose
        order it keeps.
        """

    @abstractmethod
    def settle(self) -> None:
        """After much was written: see to it that it is quickly read."""

    @abstractmethod
    def only_read(self) -> None:
        """Refuse all changes from now on."""

    @abstractmethod
    def interrupt(self) -> None:
        """End the statement that another thread is at, with an error there; nothing if there is none."""

    @abstractmethod
    def close(self) -> None:
        """Leave it; what was not committed is as if it had never been."""

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
