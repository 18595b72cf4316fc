"""The CoNLL04 column files of the multi-head-selection work (Bekoulis et al. 2018).

A sentence is a line ``#doc ID`` and then a line per token, cells parted by tabs: index from 0, token, BIO
tag, list of relations, list of heads. ``['Work_For', 'Live_In']`` with ``[7, 9]``, at the last token of an
entity, are its relations to the entities whose last tokens are 7 and 9; ``['N']`` with the token's own index
says there are none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from biaffinity.annotation import Sentence
from biaffinity.errors import DataError
from biaffinity.files import read_lines, writing
from biaffinity.formats.assembly import assemble
from biaffinity.formats.columns import cell, flat
from biaffinity.formats.detection import Sample
from biaffinity.formats.losses import note_losses
from biaffinity.formats.piecewise import Piecewise
from biaffinity.formats.report import Report
from biaffinity.formats.tagging import Scheme, TaggedSpan, iob2, is_tag, spans

NAME = "multihead"
DESCRIPTION = "CoNLL04 columns of the multi-head-selection work (#doc id; BIO, relations, heads)"
SUFFIXES = (".txt",)

OPENING = "#doc"
NONE = "N"
T = TypeVar("T")
COLUMNS = "index, token, tag, relations and heads, parted by tabs"


Lines = list[tuple[str, str]]  # place and line


@dataclass(slots=True)
class _Reading:
    """What the lines of one sentence have said so far."""

    tokens: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    links: list[tuple[str, int, int, str]] = field(default_factory=list)  # type, last tokens, place


def read(path: Path, report: Report) -> Iterator[Sentence]:
    """The sentences of a file; entities in text order, relations in the order of their lines."""
    return Piecewise(enumerate(_blocks(path), start=1), partial(_sentence, report=report))


def write(path: Path, sentences: Iterable[Sentence], report: Report) -> None:
    """The same layout; of overlapping entities the longer one is written."""
    with writing(path) as file:
        for number, sentence in enumerate(sentences, start=1):
            where = f"sentence {sentence.id or number}"
            note_losses(sentence, report, where, kept={"id"})
            file.write(f"{OPENING} {cell(sentence.id, report, where)}\n")
            file.writelines(_lines(flat(sentence, report, where), report, where))


def recognises(sample: Sample) -> bool:
    """Its first line opens a sentence with ``#doc``."""
    return sample.text.lstrip().startswith(OPENING)


def _blocks(path: Path) -> Iterator[Lines]:
    """The lines of every sentence but for blank ones; ``#doc`` opens it."""
    block: Lines = []
    for number, line in read_lines(path):
        if line.startswith(OPENING) and block:
            yield block
            block = []
        if line.strip():
            block.append((f"{path}:{number}", line))
    if block:
        yield block


def _sentence(numbered: tuple[int, Lines], report: Report) -> Iterator[Sentence]:
    """The sentence of a block."""
    number, ((where, opening), *rows) = numbered
    if not opening.startswith(OPENING):
        raise DataError("a token before the first sentence", where=where, remedy="start it with #doc ID")
    reading = _Reading()
    for place, line in rows:
        _add_token(reading, line, place)
    found = list(spans(reading.tags))
    for span in found:
        if not span.fits(Scheme.IOB2):
            report.note("entity starts without B-, kept", f"{where}: token {span.start}")
    yield assemble(
        reading.tokens,
        [(span.start, span.end, span.type) for span in found],
        _between_entities(reading, found, report),
        id=opening.removeprefix(OPENING).strip() or str(number),
        where=where,
        report=report,
    )


def _add_token(reading: _Reading, line: str, where: str) -> None:
    cells = line.split("\t")
    if len(cells) != 5:
        raise DataError(f"{len(cells)} columns where 5 are due", where=where, remedy=f"they are {COLUMNS}")
    index, token, tag, types, heads = cells
    position = len(reading.tokens)
    if index != str(position):
        raise DataError(
            f"index {index!r} where {position} is due", where=where, remedy="count from 0 after #doc"
        )
    if not token or not is_tag(tag):
        what = "the token is empty" if not token else f"{tag!r} is not a tag"
        raise DataError(
            what, where=where, remedy=f"the columns are {COLUMNS}; a tag reads O, B-TYPE or I-TYPE"
        )
    reading.tokens.append(token)
    reading.tags.append(tag)
    if types == f"['{NONE}']" and heads == f"[{position}]":
        return
    names, targets = _list(types, str, where), _list(heads, int, where)
    if len(names) != len(targets):
        raise DataError(
            f"{len(names)} relations for {len(targets)} heads",
            where=where,
            remedy="give every relation its head",
        )
    reading.links += [
        (name, position, target, where) for name, target in zip(names, targets, strict=True) if name != NONE
    ]


def _list(text: str, kind: type[T], where: str) -> list[T]:
    """A list as Python writes it, every member of the kind."""
    try:
        values = ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        values = None
    if not isinstance(values, list) or not all(type(value) is kind for value in values):
        shape = "['Work_For', 'Live_In']" if kind is str else "[7, 9]"
        raise DataError(
            f"{text!r:.40} is not a list such as {shape}", where=where, remedy=f"the columns are {COLUMNS}"
        )
    return values


def _between_entities(
    reading: _Reading, found: Iterable[TaggedSpan], report: Report
) -> Iterator[tuple[str, int, int]]:
    """Relations between last tokens as relations between the entities that end there."""
    entity_at = {span.end - 1: index for index, span in enumerate(found)}
    for name, head, tail, where in reading.links:
        if not 0 <= tail < len(reading.tokens):
            raise DataError(
                f"head {tail} leaves the sentence of {len(reading.tokens)} tokens",
                where=where,
                remedy="heads count the sentence's tokens from 0",
            )
        if head in entity_at and tail in entity_at:
            yield name, entity_at[head], entity_at[tail]
        else:
            report.note("relation left out: an argument is not the last token of an entity", where)


def _lines(sentence: Sentence, report: Report, where: str) -> Iterator[str]:
    tags = iob2(len(sentence), sentence.entities)
    last = [entity.end - 1 for entity in sentence.entities]
    relations: dict[int, list[str]] = {}
    heads: dict[int, list[int]] = {}
    for relation in sentence.relations:
        if relation.type == NONE:
            report.note(f"relation of type {NONE} left out: it stands for none here", where)
            continue
        relations.setdefault(last[relation.head], []).append(relation.type)
        heads.setdefault(last[relation.head], []).append(last[relation.tail])
    for index, (token, tag) in enumerate(zip(sentence.tokens, tags, strict=True)):
        cells = (
            str(index),
            cell(token, report, where),
            cell(tag, report, where),
            str(relations.get(index, [NONE])),
            str(heads.get(index, [index])),
        )
        yield "\t".join(cells) + "\n"
