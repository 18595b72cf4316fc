from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity import formats
from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.errors import BiaffinityError
from biaffinity.formats import Report
from formats.roundtrip import bare, read_text, there_and_back
from strategies import sentences

DOCUMENT = {
    "doc_key": "d",
    "sentences": [["Ana", "left", "."], ["Lee", "of", "Acme", "Oil"]],
    "ner": [[[0, 0, "Peop"]], [[3, 3, "Peop"], [5, 6, "Org"]]],
    "relations": [[], [[3, 3, 5, 6, "Work_For"]]],
}


@st.composite
def documents(draw):
    """Sentences of two documents under the names this format gives them; a span has one entity."""
    corpus = []
    for document, size in (("a", draw(st.integers(0, 3))), ("b", draw(st.integers(0, 3)))):
        for number in range(size):
            sentence = draw(
                sentences().filter(lambda s: len({(e.start, e.end) for e in s.entities}) == len(s.entities))
            )
            corpus.append(replace(sentence, id=f"{document}:{number}", document=document))
    return corpus


def read(report: Report | None = None, **change: object) -> list[Sentence]:
    return read_text("dygie", json.dumps({**DOCUMENT, **change}), report)


@given(documents())
def test_tokens_annotation_ids_and_documents_survive(corpus):
    read, report = there_and_back("dygie", corpus)
    assert read == corpus
    assert not report


def test_a_document_is_read_with_spans_of_its_sentences():
    assert read() == [
        Sentence(["Ana", "left", "."], [Entity(0, 1, "Peop")], id="d:0", document="d"),
        Sentence(
            ["Lee", "of", "Acme", "Oil"],
            [Entity(0, 1, "Peop"), Entity(2, 4, "Org")],
            [Relation("Work_For", 0, 1)],
            id="d:1",
            document="d",
        ),
    ]


def test_a_sentence_without_a_document_becomes_one():
    read, report = there_and_back("dygie", [Sentence(["a"], id="x"), Sentence(["b"], id="y")])
    assert [(s.id, s.document, s.tokens) for s in read] == [("x:0", "x", ("a",)), ("y:0", "y", ("b",))]
    assert list(report.findings) == ["id replaced by the document's and a number"]


def test_annotation_may_be_absent():
    assert [s.entities for s in read(ner=None, relations=None)] == [(), ()]


def test_clusters_are_reported():
    report = Report()
    read(report, clusters=[[[0, 0], [3, 3]]])
    assert list(report.findings) == ["field 'clusters' not carried over"]


def test_a_relation_between_spans_that_are_no_entities_is_left_out_and_reported():
    report = Report()
    assert read(report, relations=[[], [[3, 3, 4, 4, "Work_For"]]])[1].relations == ()
    assert list(report.findings) == ["relation left out: an argument is no entity"]


def test_repeats_are_kept_once():
    report = Report()
    again = read(
        report,
        ner=[[], [[3, 3, "Peop"], [3, 3, "Peop"], [5, 6, "Org"]]],
        relations=[[], [[3, 3, 5, 6, "W"]] * 2],
    )
    assert again[1].relations == (Relation("W", 0, 1),)
    assert set(report.findings) == {"entity given twice, kept once", "relation given twice, kept once"}


def test_a_span_with_two_types_gives_its_relation_to_the_first_and_says_so():
    report = Report()
    two = read(report, ner=[[], [[3, 3, "Org"], [3, 3, "Peop"], [5, 6, "Org"]]])
    assert two[1].relations == (Relation("Work_For", 0, 2),)
    assert list(report.findings) == ["relation of a span with two types: given to the first"]


def test_writing_a_relation_of_a_span_with_two_types_says_what_will_be_read():
    entities = [Entity(0, 1, "Org"), Entity(0, 1, "Peop"), Entity(1, 2, "Loc")]
    _, report = there_and_back("dygie", [Sentence(["a", "b"], entities, [Relation("Live_In", 1, 2)])])
    assert list(report.findings) == ["relation of a span with two types: read back as of the first"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sentences": "a b"}, "/x:1: sentences: must be a list"),
        ({"sentences": [["a", 5, "b"], ["c"] * 4]}, "sentences[0]: tokens[1]: must be a non-empty string"),
        ({"ner": [[]]}, "/x:1: ner: has 1 lists for 2 sentences"),
        ({"ner": [[[0, 0]], []]}, "/x:1: sentences[0]: [0, 0] is not an entity [start, end, type]"),
        ({"ner": [[[2, 1, "X"]], []]}, "/x:1: sentences[0]: span 2..1 is reversed or"),
        ({"ner": [[[3, 3, "X"]], []]}, "span 3..3 is reversed or leaves its sentence, 0..2"),
        ({"ner": [[[-1, 0, "X"]], []]}, "span -1..0 is reversed or leaves its sentence, 0..2"),
        ({"ner": [[["0", 0, "X"]], []]}, "span 0..0 is reversed or leaves its sentence, 0..2"),
        ({"ner": [[[0, 0, []]], []]}, "sentences[0]: entities[0]: entity type must be a non-empty string"),
        ({"relations": [[7], []]}, "sentences[0]: 7 is not a relation [start, end, start, end, type]"),
        ({"relations": [[[0, 0, 9, 9, "R"]], []]}, "sentences[0]: span 9..9 is reversed or"),
    ],
)
def test_a_wrong_document_is_one_error_with_its_place(change, words):
    with pytest.raises(BiaffinityError) as error:
        read(**change)
    assert words in str(error.value)
    assert str(error.value).count("/x:") == 1


def test_all_of_scierc_survives(corpora):
    corpus = list(formats.read(corpora / "scierc" / "test.jsonl"))
    assert [bare(s) for s in there_and_back("dygie", corpus)[0]] == [bare(s) for s in corpus]
