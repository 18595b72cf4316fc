"""How far a run has come in a file that only grows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from biaffinity.bulk.sinks.sink import Mark

_MOST = 32


@dataclass(frozen=True, slots=True)
class FileMark(Mark):
    """The same with the bytes written so far, records and failures, and their checksums."""

    size: int = 0
    checksum: str = ""
    failed_size: int = 0
    failed_checksum: str = ""


def thinned(marks: Sequence[FileMark]) -> list[FileMark]:
    """Some of the marks, spread over all of the way, and the last: what is sound of a damaged file is kept.

    >>> [mark.position for mark in thinned([FileMark(n) for n in range(33)])][-3:]
    [28, 30, 32]
    """
    return [*marks] if len(marks) <= _MOST else [*marks[:-1:2], marks[-1]]
