"""Plain CoNLL columns: a line per token, the token first and its tag last; a blank line ends a sentence.

Columns are parted by spaces or tabs, those between the first and the last are not read. Tags are IOB1, IOB2
or BILOU (or with E and S); which, the file's own tags tell. The format knows entities only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from biaffinity.annotation import Sentence
from biaffinity.errors import DataError
from biaffinity.files import read_lines, writing
from biaffinity.formats.assembly import assemble
from biaffinity.formats.columns import BLANKS, cell, flat
from biaffinity.formats.detection import Sample
from biaffinity.formats.losses import note_losses
from biaffinity.formats.piecewise import Piecewise
from biaffinity.formats.report import Report
from biaffinity.formats.tagging import Scheme, iob2, is_tag, scheme_of, spans

NAME = "conll"
DESCRIPTION = "CoNLL columns, token first and tag last (IOB1, IOB2, BILOU); entities only"
SUFFIXES = (".conll", ".txt")

COLUMN_BREAK = re.compile(r"[ \t]+")
DOCUMENT_MARK = "-DOCSTART-"


@dataclass(frozen=True, slots=True)
class _Block:
    """The rows of one sentence, the ``number``-th of its file; the first of them is line ``line``."""

    number: int
    line: int
    rows: list[list[str]]

    @property
    def tags(self) -> list[str]:
        """The last column."""
        return [row[-1] for row in self.rows]


def read(path: Path, report: Report) -> Iterator[Sentence]:
    """The sentences of a file, numbered from 1; the tags are gone through once before, for their scheme."""
    scheme = scheme_of(span for block in _blocks(path) for span in spans(block.tags))
    return Piecewise(_blocks(path), partial(_sentence, path=path, scheme=scheme, report=report))


def write(path: Path, sentences: Iterable[Sentence], report: Report) -> None:
    """Two columns, token and IOB2 tag; of overlapping entities the longer one is written."""
    with writing(path) as file:
        for number, sentence in enumerate(sentences, start=1):
            where = f"sentence {sentence.id or number}"
            note_losses(sentence, report, where)
            for _ in sentence.relations:
                report.note("relation not carried over", where)
            if not sentence.tokens:
                report.note("sentence without tokens left out", where)
                continue
            whole = flat(sentence.annotated(sentence.entities), report, where)
            for token, tag in zip(whole.tokens, iob2(len(whole), whole.entities), strict=True):
                cells = (cell(value, report, where, separators=BLANKS) for value in (token, tag))
                file.write("\t".join(cells) + "\n")
            file.write("\n")


def recognises(sample: Sample) -> bool:
    """Every line ends in a tag, and one tag at least is of an entity, or there are just two columns."""
    rows = [COLUMN_BREAK.split(line.strip()) for line in sample.lines if not line.startswith(DOCUMENT_MARK)]
    if not rows or sample.record is not None:
        return False
    tags = [row[-1] for row in rows]
    return all(len(row) > 1 and is_tag(row[-1]) for row in rows) and (
        set(tags) != {"O"} or {len(row) for row in rows} == {2}
    )


def _blocks(path: Path) -> Iterator[_Block]:
    """The rows of every sentence."""
    block: _Block | None = None
    count = 0
    for line_number, line in read_lines(path):
        cells = COLUMN_BREAK.split(line.strip(" \t\r"))
        if cells == [""]:
            if block is not None:
                yield block
            block = None
        elif block is not None:
            block.rows.append(cells)
        elif cells[0] != DOCUMENT_MARK:
            count += 1
            block = _Block(count, line_number, [cells])
    if block is not None:
        yield block


def _sentence(block: _Block, path: Path, scheme: Scheme, report: Report) -> Iterator[Sentence]:
    """The sentence of a block."""
    for line_number, row in enumerate(block.rows, start=block.line):
        if len(row) < 2 or not is_tag(row[-1]):
            raise DataError(
                "one column where two are due" if len(row) < 2 else f"{row[-1]!r:.40} is not a tag",
                where=f"{path}:{line_number}",
                remedy="a line reads TOKEN ... TAG, a tag O or B-TYPE, I-TYPE, L-, U-, E-, S-",
            )
    found = list(spans(block.tags))
    for span in found:
        if not span.fits(scheme):
            place = f"{path}:{block.line + span.start}"
            report.note(f"entity tagged against the rules of {scheme.value}, kept", place)
    yield assemble(
        [row[0] for row in block.rows],
        [(span.start, span.end, span.type) for span in found],
        [],
        id=str(block.number),
        where=f"{path}:{block.line}",
        report=report,
    )
