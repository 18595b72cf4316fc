"""Entities that share tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from biaffinity.annotation import Entity


def overlaps(entities: Sequence[Entity]) -> Iterator[str]:
    """For every pair that shares a token, how it does: ``same-span``, ``nested`` or ``crossing``.

    >>> list(overlaps([Entity(0, 3, "Org"), Entity(2, 3, "Loc"), Entity(2, 5, "Other")]))
    ['crossing', 'nested', 'nested']
    """
    ordered = sorted(entities, key=lambda e: (e.start, -e.end))
    for index, first in enumerate(ordered):
        for second in ordered[index + 1 :]:
            if second.start >= first.end:
                break
            if (first.start, first.end) == (second.start, second.end):
                yield "same-span"
            else:
                yield "nested" if second.end <= first.end else "crossing"
