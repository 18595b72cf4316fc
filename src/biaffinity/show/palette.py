"""Which type has which colour, where several drawings stand side by side and must agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from biaffinity.show.colours import KINDS, kinds, preferred_kind


@dataclass(frozen=True, slots=True)
class Palette:
    """The kind of colour of every type of entity and of relation; see `biaffinity.show.colours.kinds`."""

    entities: Mapping[str, int]
    relations: Mapping[str, int]

    @classmethod
    def of(cls, entity_types: Iterable[str], relation_types: Iterable[str]) -> Palette:
        """Colours for these types, as different as can be; another type that comes along gets one too."""
        return cls(_Growing(kinds(entity_types)), _Growing(kinds(relation_types)))

    @classmethod
    def growing(cls) -> Palette:
        """Colours for types that come one by one: each keeps what it got."""
        return cls(_Growing(), _Growing())


class _Growing(dict[str, int]):
    """Gives every new type the kind of its name, or the next that is free."""

    def __missing__(self, name: str) -> int:
        wanted = preferred_kind(name)
        taken = set(self.values())
        free = (kind for kind in (wanted, *range(KINDS)) if kind not in taken)
        self[name] = next(free, len(self) % KINDS)
        return self[name]
