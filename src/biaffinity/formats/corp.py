r"""The original corpus files of Roth & Yih (2004).

A sentence is a block of lines, nine cells each, parted by tabs: sentence, entity type or ``O``, index,
``O``, part of speech, words, ``O``, ``O``, ``O``. A line is one token, or a whole entity with its words and
their parts of speech joined by slashes (``Ana/Ruiz``, ``NNP/NNP``). After a blank line come the relations,
three cells each: index, index, type; and another blank line.

A comma is written ``COMMA``, parentheses ``-LRB-`` and ``-RRB-``. A slash inside a word of an entity
is told from a joint by its part of speech having none (``1/2`` with ``CD``); between several words we write
``\/``, as the Penn Treebank does. Parts of speech are not known to us: ``X`` is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from biaffinity.annotation import Entity, Sentence
from biaffinity.errors import DataError
from biaffinity.files import read_lines, writing
from biaffinity.formats.assembly import assemble
from biaffinity.formats.columns import cell, flat
from biaffinity.formats.detection import Sample
from biaffinity.formats.losses import note_losses
from biaffinity.formats.piecewise import Piecewise
from biaffinity.formats.report import Report

NAME = "corp"
DESCRIPTION = "the original corpus files of Roth & Yih (nine columns, then relations)"
SUFFIXES = (".corp",)

OUTSIDE = "O"
# Published versions of the corpus undo these three and no others: a -LCB- stays as it is.
ESCAPES = {",": "COMMA", "(": "-LRB-", ")": "-RRB-"}
PLAIN = {escape: token for token, escape in ESCAPES.items()}
JOINT = re.compile(r"(?<!\\)/")
COLUMNS = "they are sentence, type, index, O, part of speech, words, O, O, O, parted by tabs"
RELATION_COLUMNS = (
    "a relation reads INDEX, INDEX, TYPE, parted by tabs; the indexes are those of two lines above"
)


Rows = list[tuple[str, list[str]]]  # place and cells


@dataclass(slots=True)
class _Reading:
    """What the lines of one sentence have said so far."""

    id: str
    tokens: list[str] = field(default_factory=list)
    spans: list[tuple[int, int, str]] = field(default_factory=list)
    entity_at: dict[str, int | None] = field(default_factory=dict)  # by the index column
    links: list[tuple[str, int, int]] = field(default_factory=list)


def read(path: Path, report: Report) -> Iterator[Sentence]:
    """The sentences of a file, called by their number there."""
    return Piecewise(_blocks(path), partial(_sentence, report=report))


def write(path: Path, sentences: Iterable[Sentence], report: Report) -> None:
    """The same layout; of overlapping entities the longer one is written."""
    with writing(path) as file:
        for number, sentence in enumerate(sentences, start=1):
            where = f"sentence {sentence.id or number}"
            note_losses(sentence, report, where, kept={"id"})
            if sentence.tokens:
                identity = cell(sentence.id or str(number), report, where)
                file.writelines(_lines(identity, flat(sentence, report, where), report, where))
            else:
                report.note("sentence without tokens left out", where)


def recognises(sample: Sample) -> bool:
    """Its first line has nine cells, a number third and ``O`` where the corpus has nothing to say."""
    cells = sample.lines[0].split("\t") if sample.lines else []
    return len(cells) == 9 and cells[2].isdecimal() and {cells[3], *cells[6:]} == {OUTSIDE}


def _blocks(path: Path) -> Iterator[tuple[Rows, Rows]]:
    """The rows of every sentence, and those of its relations: after a blank line, until nine cells come."""
    chunks: Rows = []
    relations: Rows = []
    is_closed = False
    for number, line in read_lines(path):
        row = f"{path}:{number}", line.split("\t")
        if not line.strip():
            is_closed = bool(chunks)
        elif not is_closed or len(row[1]) == 9:
            if is_closed:
                yield chunks, relations
                chunks, relations, is_closed = [], [], False
            chunks.append(row)
        else:
            relations.append(row)
    if chunks:
        yield chunks, relations


def _sentence(block: tuple[Rows, Rows], report: Report) -> Iterator[Sentence]:
    """The sentence of a block."""
    chunks, relations = block
    start, (identity, *_) = chunks[0]
    reading = _Reading(identity)
    for where, cells in chunks:
        _require_columns(9, cells, where, COLUMNS)
        _add_chunk(reading, cells, where, report)
    for where, cells in relations:
        _require_columns(3, cells, where, RELATION_COLUMNS)
        _add_relation(reading, cells, where, report)
    yield assemble(reading.tokens, reading.spans, reading.links, id=identity, where=start, report=report)


def _require_columns(count: int, cells: list[str], where: str, remedy: str) -> None:
    if len(cells) != count:
        raise DataError(f"{len(cells)} columns where {count} are due", where=where, remedy=remedy)


def _add_chunk(reading: _Reading, cells: list[str], where: str, report: Report) -> None:
    identity, type_, index, _, parts_of_speech, words = cells[:6]
    if identity != reading.id:
        raise DataError(
            f"a line of sentence {identity!r:.20} inside sentence {reading.id!r:.20}",
            where=where,
            remedy="part sentences by blank lines",
        )
    if not index.isdecimal() or index in reading.entity_at:
        raise DataError(
            f"index {index!r:.20} is no number or stands there twice",
            where=where,
            remedy="number the lines of a sentence from 0",
        )
    if not words or not type_:
        raise DataError("an empty cell", where=where, remedy=f"the columns: {COLUMNS}")
    start = len(reading.tokens)
    if type_ == OUTSIDE:
        reading.tokens.append(_unescaped(words))
        reading.entity_at[index] = None
        return
    reading.tokens += _split(words, parts_of_speech, where, report)
    reading.entity_at[index] = len(reading.spans)
    reading.spans.append((start, len(reading.tokens), type_))


def _split(words: str, parts_of_speech: str, where: str, report: Report) -> list[str]:
    """The words of an entity; a slash that their parts of speech do not have is not a joint."""
    pieces, parts = JOINT.split(words), JOINT.split(parts_of_speech)
    if len(parts) == 1:
        pieces = [words]
    elif len(pieces) != len(parts) or not all(pieces):
        report.note("words and parts of speech differ in number: parted at every slash", where)
        pieces = [piece for piece in pieces if piece] or [words]
    return [_unescaped(piece) for piece in pieces]


def _add_relation(reading: _Reading, cells: list[str], where: str, report: Report) -> None:
    *arguments, type_ = cells
    for index in arguments:
        if index not in reading.entity_at:
            raise DataError(
                f"relation {type_} names the index {index!r:.20}, which is not there",
                where=where,
                remedy=RELATION_COLUMNS,
            )
    head, tail = (reading.entity_at[index] for index in arguments)
    if head is None or tail is None:
        report.note("relation left out: an argument is no entity", where)
    else:
        reading.links.append((type_, head, tail))


def _lines(identity: str, sentence: Sentence, report: Report, where: str) -> Iterator[str]:
    """The lines of a sentence whose entities are in text order and do not overlap."""
    index_of: list[int] = []
    for index, (chunk, entity_type) in enumerate(_chunks(sentence)):
        tokens = [cell(token, report, where) for token in chunk]
        words, parts_of_speech = _joined(tokens), "/".join("X" * len(tokens))
        if entity_type is None:
            type_, read_back = OUTSIDE, [_unescaped(words)]
        else:
            index_of.append(index)
            type_ = _type_name(entity_type, report, where)
            read_back = _split(words, parts_of_speech, where, Report())
        if read_back != tokens:
            report.note("token reads back otherwise: it looks like an escape of this format", where)
        yield f"{identity}\t{type_}\t{index}\tO\t{parts_of_speech}\t{words}\tO\tO\tO\n"
    yield "\n"
    for relation in sentence.relations:
        type_ = cell(relation.type, report, where)
        yield f"{index_of[relation.head]}\t{index_of[relation.tail]}\t{type_}\n"
    yield "\n"


def _chunks(sentence: Sentence) -> Iterator[tuple[Sequence[str], str | None]]:
    """The tokens of every entity with its type, and every other token alone."""
    entity_at = {entity.start: entity for entity in sentence.entities}
    position = 0
    while position < len(sentence):
        entity = entity_at.get(position, Entity(position, position + 1, OUTSIDE))
        yield sentence.tokens[position : entity.end], entity.type if position in entity_at else None
        position = entity.end


def _type_name(type_: str, report: Report, where: str) -> str:
    if type_ == OUTSIDE:
        report.note("entity type O written as _O: it stands for none here", where)
        return "_O"
    return cell(type_, report, where)


def _joined(tokens: Sequence[str]) -> str:
    pieces = [ESCAPES.get(token, token) for token in tokens]
    return pieces[0] if len(pieces) == 1 else "/".join(piece.replace("/", "\\/") for piece in pieces)


def _unescaped(word: str) -> str:
    return PLAIN.get(word, word.replace("\\/", "/"))
