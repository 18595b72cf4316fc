"""A sentence from a foreign file: what may stand twice there stands once here, and that is reported."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.errors import AnnotationError
from biaffinity.formats.report import Report

#: An entity (start, end, type) or a relation (type, head, tail), and its score where it has one.
Record = tuple[Any, Any, Any] | tuple[Any, Any, Any, Any]


def assemble(
    tokens: Sequence[str],
    spans: Iterable[Record],
    links: Iterable[Record],
    *,
    id: str,
    where: str,
    report: Report,
    document: str | None = None,
) -> Sentence:
    """A sentence from entities (start, end, type) and relations (type, head, tail), with scores or without.

    Equal entities and equal relations become the first of them, whatever their scores; a relation of an
    entity to itself is left out; all of this is reported. An entity or relation that cannot be is an
    error at ``where``.

    >>> report = Report()
    >>> twice = [(0, 1, "Peop"), (2, 3, "Loc"), (2, 3, "Loc")]
    >>> s = assemble(["A", "in", "B"], twice, [("Live_In", 0, 2)], id="1", where="x:1", report=report)
    >>> s.relations, str(report)
    ((Relation(type='Live_In', head=0, tail=1, score=None),), '1 x entity given twice, kept once (e.g. x:1)')
    """
    try:
        entities, position = _entities(spans, where, report)
        relations = _relations(links, position, where, report)
        return Sentence(tokens, entities, relations, id=id, document=document)
    except AnnotationError as error:
        raise error.at(where) from None


def _entities(spans: Iterable[Record], where: str, report: Report) -> tuple[list[Entity], list[int]]:
    """The distinct entities, and for each given one its place among them."""
    found: list[Entity] = []
    place: dict[tuple[int, int, str], int] = {}
    position: list[int] = []
    for index, span in enumerate(spans):
        try:
            entity = Entity(*span)
        except AnnotationError as error:
            raise error.at(f"entities[{index}]") from None
        key = entity.start, entity.end, entity.type
        if key in place:
            report.note("entity given twice, kept once", where)
        else:
            place[key] = len(found)
            found.append(entity)
        position.append(place[key])
    return found, position


def _relations(
    links: Iterable[Record], position: Sequence[int], where: str, report: Report
) -> list[Relation]:
    """The distinct relations between distinct entities."""
    found: dict[tuple[str, int, int], Relation] = {}
    for index, (type_, *arguments) in enumerate(links):
        # An argument that is no entity's number is left as it is: the relation or the sentence refuses it.
        head, tail = (position[a] if type(a) is int and 0 <= a < len(position) else a for a in arguments[:2])
        if head == tail and head in position:
            report.note("relation of an entity to itself left out", where)
            continue
        try:
            relation = Relation(type_, head, tail, *arguments[2:])
        except AnnotationError as error:
            raise error.at(f"relations[{index}]") from None
        key = relation.type, relation.head, relation.tail
        if key in found:
            report.note("relation given twice, kept once", where)
        found.setdefault(key, relation)
    return list(found.values())
