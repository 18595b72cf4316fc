"""Label Studio: the JSON export, an array of tasks with their annotations.

A task's ``data`` holds the text; the ``result`` of an annotation lists regions (``"type": "labels"``)
and relations between their ids. The export of minimal JSON, which has no relations, is read too.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from biaffinity.annotation import Document, Sentence, documents
from biaffinity.annotation.sentence import Json, list_of
from biaffinity.errors import AnnotationError, DataError
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
from biaffinity.formats.records import each_record, note_fields, writing_array
from biaffinity.formats.report import Report

NAME = "labelstudio"
DESCRIPTION = "Label Studio JSON export: tasks with labelled regions and relations"
SUFFIXES = (".json",)

# What a task calls its annotations; the second is from very old exports.
ANNOTATION_FIELDS = ("annotations", "completions")
# What minimal JSON adds to the data of a task.
BOOKKEEPING = frozenset({"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time"})
SHAPE = 'a task is {"data": {"text": TEXT}, "annotations": [{"result": [...]}]}'
T = TypeVar("T")


def read(path: Path, report: Report, *, split: bool = True) -> Iterator[Sentence]:
    """The sentences of every task's text; each task is a document.

    Of several annotations of a task the first that was not cancelled counts. Without ``split`` every
    text is one sentence, so relations across sentences are kept.
    """
    return each_record(path, partial(_sentences, ids=DocumentIds(path, report), report=report, split=split))


def write(path: Path, sentences: Iterable[Sentence], report: Report, *, by: Machine | None = None) -> None:
    """One task per document; its id goes into ``data``, for Label Studio gives tasks its own numbers.

    Labels ``by`` a model are predictions, with its version and their scores: an annotator takes them over or
    not, and no export takes them for annotation.
    """
    with writing_array(path) as add:
        for number, document in enumerate(documents(sentences), start=1):
            data = {"text": document.text}
            if document.id:
                data["id"] = document.id
            result = list(_written(document, report, scores=by is not None))
            task: Json = {"id": number, "data": data}
            if by is None:
                task["annotations"] = [{"result": result, "was_cancelled": False}]
            else:
                task["predictions"] = [{"model_version": by.version, **_mean_score(result), "result": result}]
            add(task)


def recognises(sample: Sample) -> bool:
    """Tasks with ``data`` and annotations, or minimal JSON with a list of labelled regions."""
    record = sample.record
    if record is None:
        return False
    if isinstance(record.get("data"), dict):
        return any(isinstance(record.get(name), list) for name in (*ANNOTATION_FIELDS, "predictions"))
    return any(_is_regions(value) for value in record.values())


def _sentences(
    task: Json, where: str, number: int, ids: DocumentIds, report: Report, split: bool
) -> Iterator[Sentence]:
    """The sentences of one task."""
    data = _data(task)
    text_field = _text_field(data, where)
    text = data[text_field]
    note_fields(data, frozenset({"id", text_field}), where, report)
    annotation = _Annotation(report)
    for place, item in _results(task, where, report):
        annotation.add(item, place)
    entities = in_code_points(text, annotation.entities, partial(annotation.fits, text), report)
    for entity in entities:
        if not annotation.fits(text, entity):
            report.note("region's text differs from the task's: its offsets are followed", entity.where)
    return align(
        text,
        entities,
        annotation.kept_relations(),
        document=ids.of(data.get("id", task.get("id")), number, where),
        where=where,
        report=report,
        split=split,
    )


@dataclass(slots=True)
class _Annotation:
    """What the result of one annotation says about its text."""

    report: Report
    entities: list[CharEntity] = field(default_factory=list)
    relations: list[CharRelation] = field(default_factory=list)
    shown: dict[Hashable, object] = field(default_factory=dict)  # the text that a region repeats, by key
    kept: set[str] = field(default_factory=set)  # the ids of regions that became entities
    left_out: set[str] = field(default_factory=set)

    def add(self, item: Json, where: str) -> None:
        """Take in one result."""
        value = item.get("value")
        if item.get("type") == "relation":
            self._add_relation(item, where)
        elif item.get("type") == "labels" and isinstance(value, dict):
            self._add_region(str(item.get("id", where)), value, where)
        else:
            self.report.note(f"result of type {item.get('type')!r:.40} left out", where)
            self.left_out.add(str(item.get("id")))

    def fits(self, text: str, entity: CharEntity) -> bool:
        """Whether the text at an entity's offsets is the one that its region repeats, if it does."""
        shown = self.shown[entity.key]
        if not isinstance(shown, str) or type(entity.start) is not int or type(entity.end) is not int:
            return True
        return _squeezed(shown) == _squeezed(text[entity.start : entity.end])

    def kept_relations(self) -> Iterator[CharRelation]:
        """The relations but for those with a region that was left out."""
        lost = self.left_out - self.kept
        for relation in self.relations:
            if lost.isdisjoint((relation.head, relation.tail)):
                yield relation
            else:
                self.report.note("relation to a region that was left out is left out too", relation.where)

    def _add_region(self, identity: str, value: Json, where: str) -> None:
        labels = _list(value, "labels", str, where) if value.get("labels") else []
        if not labels:
            self.report.note("region without a label left out", where)
            self.left_out.add(identity)
        if len(labels) > 1 or (labels and identity in self.kept):
            self.report.note("region with several labels: one entity each, relations to the first", where)
        for label in labels:
            key = (identity, where, label) if identity in self.kept else identity
            self.kept.add(identity)
            self.shown[key] = value.get("text")
            self.entities.append(CharEntity(value.get("start"), value.get("end"), label, key, where))  # type: ignore[arg-type]

    def _add_relation(self, item: Json, where: str) -> None:
        head, tail = str(item.get("from_id")), str(item.get("to_id"))
        direction = item.get("direction")
        if direction == "left":
            head, tail = tail, head
        labels = _list(item, "labels", str, where) if item.get("labels") else []
        if not labels:
            self.report.note("relation without a label left out", where)
        for label in labels:
            self.relations.append(CharRelation(label, head, tail, where))
            if direction == "bi":
                self.report.note("relation in both directions: made two", where)
                self.relations.append(CharRelation(label, tail, head, where))


def _data(task: Json) -> Json:
    """A task's data; in minimal JSON they stand in the task itself, beside the regions."""
    if isinstance(task.get("data"), dict):
        return task["data"]  # type: ignore[no-any-return]
    return {name: v for name, v in task.items() if name not in BOOKKEEPING and not _is_regions(v)}


def _text_field(data: Json, where: str) -> str:
    """The name of the text among the data: of the only string, or ``text``."""
    names = [name for name, value in data.items() if isinstance(value, str) and name != "id"]
    if len(names) == 1:
        return names[0]
    if "text" in names:
        return "text"
    if names:
        what, remedy = f"which is the text: {', '.join(names)}?", 'name that field "text"'
    else:
        what, remedy = "there is no text", SHAPE
    raise DataError(what, where=f"{where}: data", remedy=remedy)


def _results(task: Json, where: str, report: Report) -> Iterator[tuple[str, Json]]:
    """The regions and relations of the annotation that counts, each with its place."""
    if not isinstance(task.get("data"), dict):
        for name, value in task.items():
            for index, region in enumerate(value if _is_regions(value) else ()):
                yield f"{where}: {name}[{index}]", {"type": "labels", "value": region}
        return
    if task.get("predictions"):
        report.note("predictions left out", where)
    name = next((name for name in ANNOTATION_FIELDS if name in task), "annotations")
    finished = []
    for index, annotation in enumerate(_list(task, name, dict, where) if name in task else ()):
        place = f"{where}: {name}[{index}]"
        if annotation.get("was_cancelled") or annotation.get("skipped"):
            report.note("cancelled annotation left out", place)
        else:
            finished.append((place, annotation))
    if not finished:
        report.note("task without annotation: read without entities", where)
        return
    for place, _ in finished[1:]:
        report.note("further annotation of a task left out", place)
    place, annotation = finished[0]
    for index, item in enumerate(_list(annotation, "result", dict, place)):
        yield f"{place}.result[{index}]", item


def _is_regions(value: object) -> bool:
    """Whether a field of minimal JSON is a list of labelled spans."""
    return isinstance(value, list) and any(
        isinstance(item, dict) and item.keys() >= {"start", "end", "labels"} for item in value
    )


def _list(record: Json, name: str, kind: type[T], where: str) -> list[T]:
    try:
        return list_of(record, name, kind)
    except AnnotationError as error:
        raise DataError(error.what, where=f"{where}: {error.where}", remedy=SHAPE) from None


def _squeezed(text: str) -> str:
    """A text without white space, which Label Studio may show another way (a line end as backslash, n)."""
    return "".join(text.replace("\\n", " ").split())


def _written(document: Document, report: Report, *, scores: bool) -> Iterator[Json]:
    """The regions and relations of a document, under the names of Label Studio's own template."""
    entities, relations = characters(document, report, scores=scores)
    for entity in entities:
        yield {
            "id": f"e{entity.key}",
            "type": "labels",
            "from_name": "label",
            "to_name": "text",
            "value": {
                "start": entity.start,
                "end": entity.end,
                "text": document.text[entity.start : entity.end],
                "labels": [entity.type],
            },
            **({"score": entity.score} if scores and entity.score is not None else {}),
        }
    for relation in relations:
        yield {
            "type": "relation",
            "from_id": f"e{relation.head}",
            "to_id": f"e{relation.tail}",
            "direction": "right",
            "labels": [relation.type],
            **({"score": relation.score} if scores and relation.score is not None else {}),
        }


def _mean_score(result: list[Json]) -> Json:
    """How sure a model is of a task, by which Label Studio can sort them: the mean of all scores."""
    scores = [item["score"] for item in result if "score" in item]
    return {"score": sum(scores) / len(scores)} if scores else {}
