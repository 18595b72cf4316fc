"""Who labelled it, where that is a model: an annotation tool must never show its labels as a person's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Machine:
    """The model whose labels are written: its name and version, and the types it knows."""

    version: str
    entity_types: Sequence[str] = ()
    relation_types: Sequence[str] = ()
