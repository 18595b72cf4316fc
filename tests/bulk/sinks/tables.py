"""What a store holds, but for keys and times; and a store emptied."""

from __future__ import annotations

from typing import Any

from biaffinity.store import open_store


def held(store: str) -> tuple[list[Any], ...]:
    """Documents, relations, failures and runs."""
    with open_store(store) as database:
        return (
            database.select("SELECT name, text FROM documents ORDER BY id"),
            database.select("SELECT document, head, type, tail FROM relation_rows ORDER BY relation_mention"),
            database.select("SELECT document, problem FROM failures ORDER BY document"),
            database.select("SELECT position, digest, skipped, finished FROM runs ORDER BY id"),
        )


def emptied(store: str) -> None:
    """Remove every row that a run has made."""
    with open_store(store) as database, database.transaction():
        for table in ("failures", "documents", "runs"):
            database.change(f"DELETE FROM {table}")
