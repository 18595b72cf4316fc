"""Which type has which colour, where several drawings stand side by side and must agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from biaffinity.show.colours import kinds


@dataclass(frozen=True, slots=True)
class Palette:
    """The kind of colour of every type of entity and of relation; see `biaffinity.show.colours.kinds`."""

    entities: Mapping[str, int]
    relations: Mapping[str, int]

    @classmethod
    def of(cls, entity_types: Iterable[str], relation_types: Iterable[str]) -> Palette:
        """Colours for these types, as different as can be."""
        return cls(kinds(entity_types), kinds(relation_types))
