"""What every export is told, and what it tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: What addresses begin with unless told otherwise.
BASE = "urn:biaffinity:"


@dataclass(frozen=True, slots=True)
class Options:
    """What to write of the facts, and under which names."""

    min_score: float = 0.0
    sentences: int = 1
    base: str = BASE
    #: Wikidata's ids of relations, by their names.
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Exported:
    """How much was written."""

    entities: int
    facts: int
