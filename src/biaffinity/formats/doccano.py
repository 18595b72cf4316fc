"""doccano: one JSON object per line with a text, its entities in characters and their relations.

``{"id": 1, "text": "...", "entities": [{"id": 1, "start_offset": 0, "end_offset": 8, "label": "Peop"}],
"relations": [{"id": 1, "from_id": 1, "to_id": 2, "type": "Work_For"}]}``; exports without relations
hold ``"label": [[0, 8, "Peop"]]`` instead and are read too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from biaffinity.annotation import Sentence, documents
from biaffinity.annotation.sentence import Json, list_of
from biaffinity.errors import AnnotationError, DataError
from biaffinity.files import writing
from biaffinity.formats.alignment import (
    CharEntity,
    CharRelation,
    DocumentIds,
    align,
    characters,
    in_code_points,
)
from biaffinity.formats.detection import Sample
from biaffinity.formats.machine import Machine
from biaffinity.formats.records import each_record, note_fields
from biaffinity.formats.report import Report

NAME = "doccano"
DESCRIPTION = "doccano export: JSON lines with text, entities in characters, relations"
SUFFIXES = (".jsonl",)

TEXT_FIELDS = ("text", "data")
ENTITY_FIELDS = ("entities", "label", "labels")
KNOWN = frozenset({"id", "relations", *TEXT_FIELDS, *ENTITY_FIELDS})
SHAPE = 'a line is {"text": TEXT, "entities": [...], "relations": [...]} or {"text": TEXT, "label": [...]}'


def read(path: Path, report: Report, *, split: bool = True) -> Iterator[Sentence]:
    """The sentences of every line's text; each line is a document.

    Without ``split`` every text is one sentence, so relations across sentences are kept.
    """
    return each_record(path, partial(_sentences, ids=DocumentIds(path, report), report=report, split=split))


def write(path: Path, sentences: Iterable[Sentence], report: Report, *, by: Machine | None = None) -> None:
    """One line per document, with entities and relations.

    Labels ``by`` a model carry its name and version as ``model``, which doccano keeps as the text's metadata,
    and their scores, which it does not look at.
    """
    with writing(path) as file:
        for document in documents(sentences):
            entities, relations = characters(document, report, scores=by is not None)
            record: Json = {
                "id": document.id,
                "text": document.text,
                **({"model": by.version} if by else {}),
                "entities": [
                    {"id": e.key, "start_offset": e.start, "end_offset": e.end, "label": e.type}
                    | _score(e, by)
                    for e in entities
                ],
                "relations": [
                    {"id": number, "from_id": r.head, "to_id": r.tail, "type": r.type} | _score(r, by)
                    for number, r in enumerate(relations, start=1)
                ],
            }
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _score(found: CharEntity | CharRelation, by: Machine | None) -> Json:
    return {} if by is None or found.score is None else {"score": found.score}


def recognises(sample: Sample) -> bool:
    """A text beside a list of entities as doccano writes them.

    Where no text of a file has an entity, its further fields tell; without these it is our own raw text.
    """
    record = sample.record
    if record is None or not {"tokens", "sentences"}.isdisjoint(record):
        return False
    if not any(isinstance(record.get(field), str) for field in TEXT_FIELDS):
        return False
    entities = next((record[field] for field in ENTITY_FIELDS if field in record), None)
    if entities == [] and sample.is_whole and record.keys() <= {"id", "text", "entities", "relations"}:
        return False
    return isinstance(entities, list) and all(
        "start_offset" in entity
        if isinstance(entity, dict)
        else isinstance(entity, list) and len(entity) == 3
        for entity in entities
    )


def _sentences(
    record: Json, where: str, number: int, ids: DocumentIds, report: Report, split: bool
) -> Iterator[Sentence]:
    """The sentences of one line."""
    text = next((record[field] for field in TEXT_FIELDS if field in record), None)
    if not isinstance(text, str):
        raise DataError("has no text", where=f"{where}: text", remedy=SHAPE)
    try:
        entities, relations = list(_entities(record, where)), list(_relations(record, where))
    except AnnotationError as error:
        raise DataError(error.what, where=f"{where}: {error.where}", remedy=SHAPE) from None
    note_fields(record, KNOWN, where, report)
    return align(
        text,
        # The file does not repeat an entity's text, so that spans end where words do is the evidence.
        in_code_points(text, entities, partial(_ends_with_words, text), report),
        relations,
        document=ids.of(record.get("id"), number, where),
        where=where,
        report=report,
        split=split,
    )


def _entities(record: Json, where: str) -> Iterator[CharEntity]:
    field = next((field for field in ENTITY_FIELDS if field in record), None)
    if field is None:
        return
    for index, item in enumerate(list_of(record, field, object)):
        place = f"{where}: {field}[{index}]"
        if isinstance(item, dict):
            start, end, label = item.get("start_offset"), item.get("end_offset"), item.get("label")
            yield CharEntity(start, end, label, item.get("id", place), place)  # type: ignore[arg-type]
        elif isinstance(item, list) and len(item) == 3:
            yield CharEntity(item[0], item[1], item[2], place, place)
        else:
            raise DataError(
                f"not an entity: {item!r:.60}",
                where=place,
                remedy="write [start, end, label], or an object with id, start_offset, end_offset, label",
            )


def _relations(record: Json, where: str) -> Iterator[CharRelation]:
    for index, item in enumerate(list_of(record, "relations", dict) if "relations" in record else ()):
        place = f"{where}: relations[{index}]"
        yield CharRelation(item.get("type"), item.get("from_id"), item.get("to_id"), place)  # type: ignore[arg-type]


def _ends_with_words(text: str, entity: CharEntity) -> bool:
    """Whether the span lies in the text and neither begins nor ends inside a word or in white space."""
    start, end = entity.start, entity.end
    if not 0 <= start < end <= len(text) or text[start].isspace() or text[end - 1].isspace():
        return False
    return not any(0 < at < len(text) and text[at - 1 : at + 1].isalnum() for at in (start, end))
