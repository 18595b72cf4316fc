"""SQLite's full-text index, FTS5: one of names by words, one of words by parts of three letters."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from biaffinity.errors import DataError
from biaffinity.facts.index.index import NameIndex
from biaffinity.store.database import Database

_OLDEST = (3, 34, 0)  # the first with parts of three letters
_LONGEST_WORD = 40


class SQLiteIndex(NameIndex):
    """Tables of FTS5 that hold no text of their own; triggers fill them."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        if "word_index" in database.tables():
            return
        if sqlite3.sqlite_version_info < _OLDEST:
            raise DataError(
                f"facts need SQLite 3.34 or newer, this Python has {sqlite3.sqlite_version}",
                where=database.title,
                remedy="use a newer Python, or a PostgreSQL store",
            )
        with database.transaction():
            if "word_index" not in database.tables():
                self._make("name_index", "names", "id", "normal", "tokenize = 'unicode61', prefix = '2 3'")
                self._make("word_index", "words", "id", "word", "tokenize = 'trigram'")

    def _make(self, index: str, table: str, key: str, column: str, settings: str) -> None:
        self.database.change(f"CREATE VIRTUAL TABLE {index} USING fts5 ({column}, content = '', {settings})")
        self.database.change(f"INSERT INTO {index} (rowid, {column}) SELECT {key}, {column} FROM {table}")
        self.database.change(
            f"CREATE TRIGGER {index}_more AFTER INSERT ON {table} BEGIN "
            f"INSERT INTO {index} (rowid, {column}) VALUES (new.{key}, new.{column}); END"
        )
        self.database.change(
            f"CREATE TRIGGER {index}_less AFTER DELETE ON {table} BEGIN "
            f"INSERT INTO {index} ({index}, rowid, {column}) VALUES ('delete', old.{key}, old.{column}); END"
        )

    def names(self, words: Sequence[Sequence[str]], limit: int) -> list[int]:
        """By beginnings of words."""
        query = " AND ".join(f"({' OR '.join(f'{_quoted(word)}*' for word in each)})" for each in words)
        rows = self.database.select(
            f"SELECT rowid FROM name_index WHERE name_index MATCH ? LIMIT {limit}", [query]
        )
        return [id for (id,) in rows]

    def similar_words(self, word: str, limit: int) -> list[str]:
        """By parts of three letters, those that have more of them first."""
        word = word[:_LONGEST_WORD]
        parts = sorted({word[start : start + 3] for start in range(len(word) - 2)})
        if not parts:
            return []
        query = " OR ".join(map(_quoted, parts))
        rows = self.database.select(
            "SELECT words.word FROM word_index JOIN words ON words.id = word_index.rowid "
            f"WHERE word_index MATCH ? ORDER BY bm25(word_index) LIMIT {limit}",
            [query],
        )
        return [found for (found,) in rows]


def _quoted(word: str) -> str:
    """A word of a query, in which nothing is an operator."""
    return '"' + word.replace('"', '""').replace("\0", "") + '"'
