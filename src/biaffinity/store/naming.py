"""Which database a name means."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from biaffinity.store.database import Database
from biaffinity.store.postgresql import SCHEMES, PostgreSQL
from biaffinity.store.sqlite import SUFFIXES, SQLite
from biaffinity.store.tables import bring_up_to_date


def is_store(name: str) -> bool:
    """Whether a name is one of a store.

    >>> [is_store(name) for name in ("facts.db", "postgresql://localhost/facts", "facts.jsonl", "x.db/")]
    [True, True, False, False]
    """
    return name.startswith(SCHEMES) or name.lower().endswith(SUFFIXES)


def open_store(name: str) -> Database:
    """The store of that name, its tables made or brought up to date: a file, or the URL of a database."""
    with ExitStack() as stack:
        database = stack.enter_context(PostgreSQL(name) if name.startswith(SCHEMES) else SQLite(Path(name)))
        bring_up_to_date(database)
        stack.pop_all()
        return database
