"""A sentence from a foreign file: what may stand twice there stands once here, and that is reported."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.errors import AnnotationError
from biaffinity.formats.report import Report

Triple = tuple[Any, Any, Any]


def assemble(
    tokens: Sequence[str],
    spans: Iterable[Triple],
    links: Iterable[Triple],
    *,
    id: str,
    where: str,
    report: Report,
    document: str | None = None,
) -> Sentence:
    """A sentence from entities (start, end, type) and relations (type, head, tail).

    Equal entities and equal relations become one, a relation of an entity to itself is left out; all
    of this is reported. An entity or relation that cannot be is an error at ``where``.

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


def _entities(spans: Iterable[Triple], where: str, report: Report) -> tuple[list[Entity], list[int]]:
    """The distinct entities, and for each given one its place among them."""
    found: dict[Entity, int] = {}
    position: list[int] = []
    for index, (start, end, type_) in enumerate(spans):
        try:
            entity = Entity(start, end, type_)
        except AnnotationError as error:
            raise error.at(f"entities[{index}]") from None
        if entity in found:
            report.note("entity given twice, kept once", where)
        position.append(found.setdefault(entity, len(found)))
    return list(found), position


def _relations(
    links: Iterable[Triple], position: Sequence[int], where: str, report: Report
) -> list[Relation]:
    """The distinct relations between distinct entities."""
    found: dict[Relation, None] = {}
    for index, (type_, *arguments) in enumerate(links):
        # An argument that is no entity's number is left as it is: the relation or the sentence refuses it.
        head, tail = (position[a] if type(a) is int and 0 <= a < len(position) else a for a in arguments)
        if head == tail and head in position:
            report.note("relation of an entity to itself left out", where)
            continue
        try:
            relation = Relation(type_, head, tail)
        except AnnotationError as error:
            raise error.at(f"relations[{index}]") from None
        if relation in found:
            report.note("relation given twice, kept once", where)
        found[relation] = None
    return list(found)
