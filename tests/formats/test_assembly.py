from __future__ import annotations

import pytest
from hypothesis import given

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.errors import AnnotationError
from biaffinity.formats.assembly import assemble
from biaffinity.formats.report import Report
from strategies import sentences

TOKENS = ["Ana", "of", "Acme"]
SPANS = [(0, 1, "Peop"), (2, 3, "Org")]


def kinds(report: Report) -> list[str]:
    return list(report.findings)


@given(sentences(scores=True))
def test_a_sentence_without_repeats_comes_through_as_it_is(sentence):
    report = Report()
    spans = [(e.start, e.end, e.type, e.score) for e in sentence.entities]
    links = [(r.type, r.head, r.tail, r.score) for r in sentence.relations]
    assert assemble(sentence.tokens, spans, links, id="s", where="x:1", report=report) == sentence
    assert not report


@given(sentences())
def test_everything_given_twice_is_kept_once(sentence):
    size = len(sentence.entities)
    spans = [(e.start, e.end, e.type) for e in sentence.entities] * 2
    links = [(r.type, r.head, r.tail) for r in sentence.relations]
    again = [(r.type, r.head + size, r.tail + size) for r in sentence.relations]
    report = Report()
    assert assemble(sentence.tokens, spans, links + again, id="s", where="x:1", report=report) == sentence
    assert sum(finding.count for finding in report.findings.values()) == size + len(links)


def test_of_what_is_given_twice_with_different_scores_the_first_is_kept():
    spans = [(0, 1, "Peop", 0.9), (2, 3, "Org", 0.8), (0, 1, "Peop", 0.7)]
    links = [("Work_For", 0, 1, 0.6), ("Work_For", 2, 1, 0.5)]
    s = assemble(TOKENS, spans, links, id="", where="x:1", report=Report())
    assert s.entities == (Entity(0, 1, "Peop", 0.9), Entity(2, 3, "Org", 0.8))
    assert s.relations == (Relation("Work_For", 0, 1, 0.6),)


def test_a_relation_to_a_repeat_of_its_own_entity_is_left_out():
    report = Report()
    s = assemble(TOKENS, [*SPANS, SPANS[0]], [("Kill", 0, 2)], id="", where="x:1", report=report)
    assert s == Sentence(TOKENS, [Entity(0, 1, "Peop"), Entity(2, 3, "Org")])
    assert kinds(report) == ["entity given twice, kept once", "relation of an entity to itself left out"]


def test_document_and_id_are_set():
    s = assemble(TOKENS, SPANS, [("Work_For", 0, 1)], id="d:0", document="d", where="x:1", report=Report())
    assert (s.id, s.document, s.relations) == ("d:0", "d", (Relation("Work_For", 0, 1),))


@pytest.mark.parametrize(
    ("spans", "links", "place"),
    [
        ([(0, 1, "Peop"), (2, 1, "Org")], [], "x:1: entities[1]: "),
        ([(0, 9, "Peop")], [], "x:1: entities[0]: "),
        ([(None, 1, "Peop")], [], "x:1: entities[0]: "),
        ([(-1, 1, "Peop")], [], "x:1: entities[0]: "),
        (SPANS, [("Work_For", 0, 2)], "x:1: relations[0]: "),
        (SPANS, [("Work_For", 0, -1)], "x:1: relations[0]: "),
        (SPANS, [("Work_For", 0, 1), ("Work_For", None, None)], "x:1: relations[1]: "),
        (SPANS, [("", 0, 1)], "x:1: relations[0]: "),
        (SPANS, [("Work_For", [], {})], "x:1: relations[0]: "),
    ],
)
def test_what_cannot_be_is_an_error_with_its_place(spans, links, place):
    with pytest.raises(AnnotationError) as error:
        assemble(TOKENS, spans, links, id="", where="x:1", report=Report())
    assert str(error.value).startswith(place)
