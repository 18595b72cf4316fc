"""What names are looked up by: words and their beginnings, and words with typing errors."""

from biaffinity.facts.index.index import NameIndex
from biaffinity.facts.index.postgresql import PostgreSQLIndex
from biaffinity.facts.index.sqlite import SQLiteIndex
from biaffinity.store.database import Database
from biaffinity.store.sqlite import SQLite

__all__ = ["NameIndex", "index_of"]


def index_of(database: Database) -> NameIndex:
    """The index of a store, which is made where it has none; it keeps itself up to date from then on."""
    return SQLiteIndex(database) if isinstance(database, SQLite) else PostgreSQLIndex(database)
