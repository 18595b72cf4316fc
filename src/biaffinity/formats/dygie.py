"""DyGIE's JSON lines, as SciERC comes: one document per line.

``sentences`` are lists of tokens; for each, ``ner`` lists its entities ``[start, end, type]`` and
``relations`` its relations ``[start, end, start, end, type]``. Tokens count from the start of the document,
and ends are inclusive.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from biaffinity.annotation import Document, Sentence, documents
from biaffinity.annotation.sentence import Json
from biaffinity.errors import DataError
from biaffinity.files import writing
from biaffinity.formats.assembly import assemble
from biaffinity.formats.detection import Sample
from biaffinity.formats.losses import note_losses
from biaffinity.formats.records import each_record, note_fields
from biaffinity.formats.report import Report

NAME = "dygie"
DESCRIPTION = "DyGIE's JSON lines, one document per line (SciERC)"
SUFFIXES = (".jsonl",)

FIELDS = frozenset({"doc_key", "sentences", "ner", "relations"})
Span = tuple[int, int]

SHAPES = {3: "an entity [start, end, type]", 5: "a relation [start, end, start, end, type]"}
ONE_EACH = "give every sentence its list, if an empty one"
INCLUSIVE = "spans count tokens from the start of the document, the last one included"


def read(path: Path, report: Report) -> Iterator[Sentence]:
    """The sentences of every document, called ``doc_key:number``, from 0."""
    return each_record(path, partial(_sentences, report=report))


def write(path: Path, sentences: Iterable[Sentence], report: Report) -> None:
    """One line per document; a sentence without one is a document by itself."""
    with writing(path) as file:
        for document in documents(_noted(sentences, report)):
            file.write(json.dumps(_record(document, report), ensure_ascii=False) + "\n")


def recognises(sample: Sample) -> bool:
    """JSON lines whose sentences are lists of tokens."""
    record = sample.record
    if record is None or "text" in record or not isinstance(record.get("sentences"), list):
        return False
    return all(isinstance(tokens, list) for tokens in record["sentences"])


def _sentences(record: Json, where: str, number: int, report: Report) -> Iterator[Sentence]:
    """The sentences of one document."""
    note_fields(record, FIELDS, where, report)
    document = str(record.get("doc_key", number))
    sentences = _rows(record, "sentences", where)
    entities = _rows(record, "ner", where, count=len(sentences))
    relations = _rows(record, "relations", where, count=len(sentences))
    offsets = accumulate(map(len, sentences), initial=0)
    for index, (tokens, ner, links, offset) in enumerate(
        zip(sentences, entities, relations, offsets, strict=False)
    ):
        place = f"{where}: sentences[{index}]"
        spans = [(*_span(row[:2], offset, len(tokens), place), row[2]) for row in _of(ner, 3, place)]
        yield assemble(
            tokens,
            spans,
            _links(_of(links, 5, place), spans, offset, len(tokens), place, report),
            id=f"{document}:{index}",
            document=document,
            where=place,
            report=report,
        )


def _rows(record: Json, key: str, where: str, count: int | None = None) -> list[list[Any]]:
    """A list of lists, one per sentence where their ``count`` is given; absent, all are empty."""
    rows = record.get(key)
    if rows is None and count is not None:
        return [[] for _ in range(count)]
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise DataError("must be a list of lists", where=f"{where}: {key}", remedy=ONE_EACH)
    if count is not None and len(rows) != count:
        raise DataError(
            f"has {len(rows)} lists for {count} sentences", where=f"{where}: {key}", remedy=ONE_EACH
        )
    return rows


def _of(rows: list[Any], length: int, where: str) -> list[list[Any]]:
    """The rows, all of the given length."""
    for row in rows:
        if not isinstance(row, list) or len(row) != length:
            raise DataError(f"{row!r:.40} is not {SHAPES[length]}", where=where, remedy=INCLUSIVE)
    return rows


def _span(row: Sequence[Any], offset: int, length: int, where: str) -> Span:
    """A document's inclusive span as a half-open one of its sentence."""
    start, last = row
    if type(start) is not int or type(last) is not int or not offset <= start <= last < offset + length:
        raise DataError(
            f"span {start}..{last} is reversed or leaves its sentence, {offset}..{offset + length - 1}",
            where=where,
            remedy=INCLUSIVE,
        )
    return start - offset, last - offset + 1


def _links(
    rows: list[list[Any]],
    spans: Sequence[tuple[int, int, Any]],
    offset: int,
    length: int,
    where: str,
    report: Report,
) -> Iterator[tuple[Any, int, int]]:
    """Relations between spans as relations between the entities on them."""
    entity_at: dict[Span, int] = {}
    types_at: dict[Span, set[str]] = {}
    for index, (start, end, type_) in enumerate(spans):
        entity_at.setdefault((start, end), index)
        types_at.setdefault((start, end), set()).add(str(type_))
    for row in rows:
        arguments = [_span(row[:2], offset, length, where), _span(row[2:4], offset, length, where)]
        if not all(argument in entity_at for argument in arguments):
            report.note("relation left out: an argument is no entity", where)
            continue
        if any(len(types_at[argument]) > 1 for argument in arguments):
            report.note("relation of a span with two types: given to the first", where)
        yield row[4], entity_at[arguments[0]], entity_at[arguments[1]]


def _noted(sentences: Iterable[Sentence], report: Report) -> Iterator[Sentence]:
    """The sentences, what this format cannot hold of them reported."""
    for number, sentence in enumerate(sentences, start=1):
        note_losses(sentence, report, f"sentence {sentence.id or number}", kept={"id", "document"})
        yield sentence


def _record(document: Document, report: Report) -> Json:
    """A document's line."""
    ner: list[list[list[Any]]] = []
    relations: list[list[list[Any]]] = []
    offsets = accumulate(map(len, document.sentences), initial=0)
    for index, (sentence, offset) in enumerate(zip(document.sentences, offsets, strict=False)):
        if sentence.id not in ("", f"{document.id}:{index}"):
            report.note("id replaced by the document's and a number", f"sentence {sentence.id}")
        spans = [[e.start + offset, e.end - 1 + offset] for e in sentence.entities]
        ner.append([[*span, e.type] for span, e in zip(spans, sentence.entities, strict=True)])
        relations.append([[*spans[r.head], *spans[r.tail], r.type] for r in sentence.relations])
        for relation in sentence.relations:
            if any(spans.index(spans[argument]) != argument for argument in (relation.head, relation.tail)):
                report.note(
                    "relation of a span with two types: read back as of the first", f"sentence {sentence.id}"
                )
    return {
        "doc_key": document.id,
        "sentences": [list(sentence.tokens) for sentence in document.sentences],
        "ner": ner,
        "relations": relations,
    }
