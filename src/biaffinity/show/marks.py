"""Marks on a drawing: a symbol before a label, and a class that a page's stylesheet can speak of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Mark:
    """What one entity or relation is marked with; ``name`` must be fit to be a class."""

    symbol: str
    name: str


@dataclass(frozen=True, slots=True)
class Marks:
    """The marked entities and relations of a drawing, by index."""

    entities: Mapping[int, Mark] = field(default_factory=dict)
    relations: Mapping[int, Mark] = field(default_factory=dict)


NO_MARKS = Marks()


def marked_label(label: str, mark: Mark | None) -> str:
    """The label as it is drawn.

    >>> marked_label("Loc", Mark("≠", "wrong"))
    '≠ Loc'
    """
    return label if mark is None else f"{mark.symbol} {label}"


def marked_class(mark: Mark | None) -> str:
    """What a mark adds to the classes of a group."""
    return "" if mark is None else f" mark-{mark.name}"
