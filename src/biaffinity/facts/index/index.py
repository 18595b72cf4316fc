"""What is asked of an index of names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from biaffinity.store.database import Database


class NameIndex(ABC):
    """An index over the tables ``names`` and ``words``."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @abstractmethod
    def names(self, words: Sequence[Sequence[str]], limit: int) -> list[int]:
        """Names that have, for each place, a word that begins with one of those given; the oldest first."""

    @abstractmethod
    def similar_words(self, word: str, limit: int) -> list[str]:
        """Words that share the most parts of three letters with a word."""
