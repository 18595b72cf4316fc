"""What the column formats share: cells without white space, and one entity per token at most."""

from __future__ import annotations

import re
from dataclasses import replace

from biaffinity.annotation import Relation, Sentence, outermost
from biaffinity.formats.report import Report

TABS = re.compile(r"[\t\n\r]")
BLANKS = re.compile(r"[ \t\n\r]")


def cell(value: str, report: Report, where: str, *, separators: re.Pattern[str] = TABS) -> str:
    """The value fit for a cell: a separator inside it becomes ``_`` and is reported."""
    if separators.search(value) is None:
        return value
    report.note("white space inside a token or label written as _", where)
    return separators.sub("_", value)


def flat(sentence: Sentence, report: Report, where: str) -> Sentence:
    """The sentence with its entities in text order and none overlapping: the longer one stays.

    Relations follow their entities; what is left out is reported.
    """
    kept = outermost(sentence.entities)
    for _ in range(len(sentence.entities) - len(kept)):
        report.note("entity left out: it overlaps a longer one", where)
    position = {index: new for new, index in enumerate(kept)}
    relations: list[Relation] = []
    for relation in sentence.relations:
        if relation.head in position and relation.tail in position:
            relations.append(replace(relation, head=position[relation.head], tail=position[relation.tail]))
        else:
            report.note("relation left out: an argument overlaps a longer entity", where)
    return sentence.annotated([sentence.entities[index] for index in kept], relations)
