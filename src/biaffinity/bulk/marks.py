"""How far a run has come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_MOST = 32


@dataclass(frozen=True, slots=True)
class Mark:
    """Documents of the input dealt with and what they were; bytes written for them, and their checksums."""

    position: int = 0
    digest: str = ""
    skipped: int = 0
    size: int = 0
    checksum: str = ""
    failed_size: int = 0
    failed_checksum: str = ""


def thinned(marks: Sequence[Mark]) -> list[Mark]:
    """Some of the marks, spread over all of the way, and the last: what is sound of a damaged file is kept.

    >>> [mark.position for mark in thinned([Mark(n) for n in range(33)])][-3:]
    [28, 30, 32]
    """
    return [*marks] if len(marks) <= _MOST else [*marks[:-1:2], marks[-1]]
