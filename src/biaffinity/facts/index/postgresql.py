"""PostgreSQL's text search over names, and pg_trgm's parts of three letters over words."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from biaffinity.errors import DataError
from biaffinity.facts.index.index import NameIndex
from biaffinity.store.database import Database
from biaffinity.store.postgresql import SCHEMA

# What is new does not wait in a list to be put into its place: every search would read the list to its end.
_AT_ONCE = "WITH (fastupdate = off)"
_THERE = (
    f"SELECT 1 FROM pg_indexes WHERE schemaname = '{SCHEMA}' AND indexname = ? "
    "AND indexdef LIKE '%%fastupdate=off%%'"
)
_VECTOR = "to_tsvector('simple'::regconfig, normal)"


class PostgreSQLIndex(NameIndex):
    """Indexes of the kind GIN.

    Where the extension pg_trgm is not there and may not be made, words with typing errors are looked for
    among those that begin with the same two letters.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        if not database.select(_THERE, ["names_words"]):
            with database.transaction(alone=True):
                database.change("DROP INDEX IF EXISTS names_words")
                database.change(f"CREATE INDEX names_words ON names USING gin ({_VECTOR}) {_AT_ONCE}")
                database.change("CREATE INDEX IF NOT EXISTS words_start ON words (word text_pattern_ops)")
            self._try_extension()
        self.trigrams = bool(database.select("SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'"))
        if self.trigrams and not database.select(_THERE, ["words_trigrams"]):
            with database.transaction(alone=True):
                database.change("DROP INDEX IF EXISTS words_trigrams")
                database.change(
                    f"CREATE INDEX words_trigrams ON words USING gin (word gin_trgm_ops) {_AT_ONCE}"
                )

    def _try_extension(self) -> None:
        """Make pg_trgm, unless it is not installed on the server or its owner has to make it."""
        with suppress(DataError), self.database.transaction(alone=True):
            self.database.change("CREATE EXTENSION IF NOT EXISTS pg_trgm")

    def names(self, words: Sequence[Sequence[str]], limit: int) -> list[int]:
        """By beginnings of words."""
        query = " & ".join(f"({' | '.join(f'{_quoted(word)}:*' for word in each)})" for each in words)
        rows = self.database.select(
            f"SELECT id FROM names WHERE {_VECTOR} @@ to_tsquery('simple', ?) ORDER BY id LIMIT {limit}",
            [query],
        )
        return [id for (id,) in rows]

    def similar_words(self, word: str, limit: int) -> list[str]:
        """By similarity of parts of three letters."""
        if not self.trigrams:
            query = f"SELECT word FROM words WHERE word LIKE ? ORDER BY names DESC LIMIT {limit * 10}"
            return [found for (found,) in self.database.select(query, [f"{_plain(word[:2])}%"])]
        rows = self.database.select(
            f"SELECT word FROM words WHERE word %% ? ORDER BY similarity(word, ?) DESC, word LIMIT {limit}",
            [word, word],
        )
        return [found for (found,) in rows]


def _quoted(word: str) -> str:
    """A word of a query, in which nothing is an operator."""
    return "'" + word.replace("\\", "\\\\").replace("'", "''").replace("\0", "") + "'"


def _plain(start: str) -> str:
    """The beginning of a word for LIKE, in which nothing stands for anything."""
    return start.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
