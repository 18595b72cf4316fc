"""A format of files: what a document becomes in it, and how records become the whole.

A document is first a record of text, made where it was annotated; records in order make a file. All but JSON
lines and CSV are made from records of JSON lines once all of them are there, so every format can be taken up
again after a stop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from biaffinity import formats
from biaffinity.annotation import Document


@dataclass(frozen=True, slots=True)
class Format:
    """A format to write.

    ``pieces`` makes text of the records, told whether there can be but one. ``finish`` turns the file
    of records into the whole file, or folder; where it is None, the file of records is whole as it stands.
    ``report`` says what had to change to be written so.
    """

    name: str
    render: Callable[[Document], str]
    header: str = ""
    pieces: Callable[[Iterable[str], bool], Iterator[str]] | None = None
    finish: Callable[[Path, Path, bool], None] | None = None
    is_folder: bool = False
    report: formats.Report = field(default_factory=formats.Report, compare=False)

    def whole(self, records: Iterable[str], single: bool) -> Iterator[str]:
        """What to write for these records, piece by piece."""
        if self.pieces is not None:
            yield from self.pieces(records, single)
        else:
            if self.header:
                yield self.header
            yield from records
