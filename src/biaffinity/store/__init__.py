"""A store: tables of documents, mentions and relation mentions, in SQLite or PostgreSQL."""

from biaffinity.store.database import Database
from biaffinity.store.naming import is_store, open_store

__all__ = ["Database", "is_store", "open_store"]
