"""Names gathered into entities: links that rules found, under what people decided."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

ALIAS = "alias"
SIMILAR = "similar"
#: Rules in the order in which they are listened to, after people.
_ORDER = {ALIAS: 0, SIMILAR: 1}


class Link(NamedTuple):
    """That two names are one, by a rule."""

    one: int
    other: int
    rule: str
    similarity: float = 1.0


class Decision(NamedTuple):
    """What a person decided of two names."""

    one: int
    other: int
    together: bool


def group(names: Iterable[int], links: Iterable[Link], decisions: Iterable[Decision]) -> dict[int, int]:
    """The entity of each name: the least of the names it is one with.

    Decisions come first, then rules in their order, the most similar names first. A link that would bring
    names together that a person has parted is left out, whichever way round they would meet. So the outcome
    depends on what there is and not on when it came.

    >>> group([1, 2, 3], [Link(1, 2, "similar"), Link(2, 3, "similar")], [Decision(1, 3, False)])
    {1: 1, 2: 1, 3: 3}
    """
    root = {name: name for name in names}
    parted: dict[int, set[int]] = {name: set() for name in root}

    def find(name: int) -> int:
        while root[name] != name:
            root[name] = root[root[name]]
            name = root[name]
        return name

    decisions = sorted(decisions)
    for one, other, together in decisions:
        if not together:
            parted[one].add(other)
            parted[other].add(one)
    wanted = [(one, other) for one, other, together in decisions if together]
    wanted += [
        (link.one, link.other)
        for link in sorted(
            links, key=lambda link: (_ORDER[link.rule], -link.similarity, link.one, link.other)
        )
    ]
    for one, other in wanted:
        one, other = sorted((find(one), find(other)))
        if one == other or any(find(name) == other for name in parted[one]):
            continue
        root[other] = one
        parted[one] |= parted[other]
    return {name: find(name) for name in root}
