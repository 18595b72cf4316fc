"""SpERT's JSON: an array of sentences with ``tokens``, ``entities``, ``relations`` and ``orig_id``.

Entity spans count tokens, the end exclusive; a relation's ``head`` and ``tail`` index the entities.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from biaffinity.annotation import Sentence
from biaffinity.annotation.sentence import Json, list_of
from biaffinity.errors import AnnotationError
from biaffinity.formats.assembly import assemble
from biaffinity.formats.detection import Sample
from biaffinity.formats.losses import note_losses
from biaffinity.formats.records import each_record, note_fields, writing_array
from biaffinity.formats.report import Report

NAME = "spert"
DESCRIPTION = "SpERT's JSON: one array of sentences with tokens, entities and relations"
SUFFIXES = (".json",)

FIELDS = frozenset({"tokens", "entities", "relations", "orig_id"})


def read(path: Path, report: Report) -> Iterator[Sentence]:
    """The sentences of a file; one without ``orig_id`` is called by its number in the file, from 1."""
    return each_record(path, partial(_sentence, report=report))


def write(path: Path, sentences: Iterable[Sentence], report: Report) -> None:
    """One object per sentence, each on its line of the array."""
    with writing_array(path) as add:
        for number, sentence in enumerate(sentences, start=1):
            note_losses(sentence, report, f"sentence {sentence.id or number}", kept={"id"})
            add(
                {
                    "tokens": list(sentence.tokens),
                    "entities": [{"type": e.type, "start": e.start, "end": e.end} for e in sentence.entities],
                    "relations": [
                        {"type": r.type, "head": r.head, "tail": r.tail} for r in sentence.relations
                    ],
                    "orig_id": sentence.id,
                }
            )


def recognises(sample: Sample) -> bool:
    """An array whose objects have tokens and entities."""
    record = sample.record
    return sample.is_array and record is not None and record.keys() >= {"tokens", "entities"}


def _sentence(record: Json, where: str, number: int, report: Report) -> Iterator[Sentence]:
    """The sentence of one object."""
    note_fields(record, FIELDS, where, report)
    identity = record.get("orig_id")
    try:
        tokens = list_of(record, "tokens", str)
        entities = list_of(record, "entities", dict)
        relations = list_of(record, "relations", dict)
    except AnnotationError as error:
        raise error.at(where) from None
    yield assemble(
        tokens,
        [(e.get("start"), e.get("end"), e.get("type")) for e in entities],
        [(r.get("type"), r.get("head"), r.get("tail")) for r in relations],
        id=str(number if identity is None else identity),
        where=where,
        report=report,
    )
