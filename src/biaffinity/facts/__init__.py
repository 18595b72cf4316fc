"""From mentions to facts: entities gathered from the mentions of a store, and what is said of them."""

from __future__ import annotations

from pathlib import Path as _FilePath

from biaffinity.facts.answers import (
    About,
    Counted,
    Entity,
    Evidence,
    Fact,
    Found,
    Group,
    Mentioned,
    Name,
    Path,
    Reason,
    Span,
    Summary,
    Text,
    Top,
    Updated,
    Why,
)
from biaffinity.facts.facts import Facts
from biaffinity.files import existing_file
from biaffinity.store import open_store
from biaffinity.store.postgresql import SCHEMES

__all__ = [
    "About",
    "Counted",
    "Entity",
    "Evidence",
    "Fact",
    "Facts",
    "Found",
    "Group",
    "Mentioned",
    "Name",
    "Path",
    "Reason",
    "Span",
    "Summary",
    "Text",
    "Top",
    "Updated",
    "Why",
    "open",
]


def open(store: str) -> Facts:
    """The facts of a store that is there: a file of SQLite, or the URL of a PostgreSQL database."""
    if not store.startswith(SCHEMES):
        existing_file(_FilePath(store))
    return Facts(open_store(store))
