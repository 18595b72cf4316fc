"""Our JSON: an object per line or in an array, each a sentence with its tokens, a raw text, or a document.

A sentence is what `Sentence.to_dict` gives: ``id``, ``tokens``, ``entities`` (``start``, ``end``, ``type``;
in tokens, the end exclusive), ``relations`` (``type``, ``head``, ``tail``; indexes of entities), and where
known ``text``, ``token_spans``, ``document``, ``judged`` (`Judged.to_dict`), and of an entity ``start_char``,
``end_char``, ``text``, ``score``. An object with ``sentences`` is what `Document.to_dict` gives. One with
``text`` and neither of these is a raw text, or what `Document.to_dict` gives without tokens: its entities'
``start`` and ``end``, or ``start_char`` and ``end_char``, count characters, and it is cut into sentences and
tokens unless ``token_spans`` gives the tokens.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from biaffinity.annotation import Document, Sentence
from biaffinity.annotation.document import CHARACTERS
from biaffinity.annotation.sentence import Json, list_of, read_spans
from biaffinity.errors import AnnotationError
from biaffinity.files import writing
from biaffinity.formats.alignment import CharEntity, CharRelation, align
from biaffinity.formats.detection import Sample
from biaffinity.formats.records import each_record, note_fields
from biaffinity.formats.report import Report

NAME = "jsonl"
DESCRIPTION = "our JSON lines, one sentence per line; what extract writes and raw text are read too"
SUFFIXES = (".jsonl",)

SENTENCE_FIELDS = frozenset(
    {"id", "document", "tokens", "entities", "relations", "text", "token_spans", "judged"}
)
DOCUMENT_FIELDS = frozenset({"id", "text", "entities", "relations", "sentences"})


def read(path: Path, report: Report, *, split: bool = True) -> Iterator[Sentence]:
    """The sentences of a file; what has no id is called by its number in the file, from 1.

    Entities and relations may be absent. Nothing is mended: a wrong object is an error, after which the
    objects that follow it can still be read. Without ``split`` every raw text is one sentence, so
    relations across sentences are kept.
    """
    return each_record(path, partial(_sentences, report=report, split=split))


def write(path: Path, sentences: Iterable[Sentence], report: Report) -> None:
    """One line per sentence; nothing of it is lost."""
    with writing(path) as file:
        for sentence in sentences:
            file.write(as_line(sentence))


def as_line(sentence: Sentence) -> str:
    """A sentence as a line of JSON, its end included."""
    return json.dumps(sentence.to_dict(), ensure_ascii=False) + "\n"


def recognises(sample: Sample) -> bool:
    """Sentences, documents or raw texts; a text's entities are objects with our names."""
    record = sample.record
    if record is None:
        return False
    if isinstance(record.get("tokens"), list):
        return not sample.is_array  # an array of sentences is SpERT's
    if not isinstance(record.get("text"), str) or "label" in record or "labels" in record:
        return False
    entities = record.get("entities", None if sample.is_array else [])
    return isinstance(entities, list) and all(
        isinstance(entity, dict) and entity.keys() >= {*_character_names(entity), "type"}
        for entity in entities
    )


def _sentences(record: Json, where: str, number: int, report: Report, split: bool) -> Iterable[Sentence]:
    """The sentences of one object."""
    named = {"entities": [], "relations": [], **record}
    is_document = "sentences" in named
    # Documents without an id have an empty one; with that, neighbours would become one document.
    if named.get("id") is None or (named["id"] == "" and "tokens" not in named):
        named["id"] = str(number)
    note_fields(named, DOCUMENT_FIELDS if is_document else SENTENCE_FIELDS, where, report)
    if "text" in named and not is_document and "tokens" not in named:
        return _from_raw_text(named, where, report, split)
    try:
        return Document.from_dict(named).sentences if is_document else [Sentence.from_dict(named)]
    except AnnotationError as error:
        raise error.at(where) from None


def _from_raw_text(record: Json, where: str, report: Report, split: bool) -> Iterator[Sentence]:
    """The sentences of a raw text with its annotation in characters."""
    try:
        if record.get("judged") is not None:
            raise AnnotationError(
                "counts tokens, and a raw text has none", where="judged", remedy="give the text's tokens"
            )
        text, spans = _raw_text(record, where, report)
        entities = [
            CharEntity(
                *_characters(e),
                type=e.get("type"),  # type: ignore[arg-type]
                key=index,
                where=f"{where}: entities[{index}]",
                score=e.get("score"),
            )
            for index, e in enumerate(list_of(record, "entities", dict))
        ]
        relations = [
            CharRelation(
                r.get("type"),  # type: ignore[arg-type]
                head=r.get("head"),
                tail=r.get("tail"),
                where=f"{where}: relations[{index}]",
                score=r.get("score"),
            )
            for index, r in enumerate(list_of(record, "relations", dict))
        ]
    except AnnotationError as error:
        raise error.at(where) from None
    name = str(record["id"])
    for sentence in align(
        text, entities, relations, document=name, where=where, report=report, token_spans=spans, split=split
    ):
        yield sentence if spans is None else replace(sentence, document=record.get("document"))


def _raw_text(record: Json, where: str, report: Report) -> tuple[str, list[tuple[int, int]] | None]:
    """A raw text and its tokens where given; an entity that repeats its own text must repeat it right."""
    text, spans = record["text"], read_spans(record)
    if not isinstance(text, str):
        raise AnnotationError(f"must be a string, not {text!r:.40}", where="text")
    if spans is not None:
        # Corpora write a quotation mark as two tokens; in the text it is one.
        distinct = [span for span, before in zip(spans, [None, *spans], strict=False) if span != before]
        for _ in range(len(spans) - len(distinct)):
            report.note("token on the same characters as the one before joined with it", where)
        spans = distinct
        Sentence(["?"] * len(spans), text=text, token_spans=spans)  # refuses spans that cannot be tokens
    for index, entity in enumerate(list_of(record, "entities", dict)):
        (start, end), shown = _characters(entity), entity.get("text")
        if (
            type(start) is int
            and type(end) is int
            and 0 <= start < end
            and shown not in (None, text[start:end])
        ):
            raise AnnotationError(
                f"its text {shown!r:.40} is not what stands at {start}..{end}",
                where=f"entities[{index}]",
                remedy="count offsets in characters of the text, or leave the entity's text out",
            )
    return text, spans


def _characters(entity: Json) -> tuple[Any, Any]:
    """The characters that an entity of a raw text covers."""
    start, end = _character_names(entity)
    return entity.get(start), entity.get(end)


def _character_names(entity: Json) -> tuple[str, str]:
    """What an entity of a raw text calls its characters: as a document does, or for short."""
    return CHARACTERS if CHARACTERS[0] in entity else ("start", "end")
