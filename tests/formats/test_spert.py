from __future__ import annotations

import json

import pytest
from hypothesis import given

from biaffinity import formats
from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.errors import BiaffinityError
from biaffinity.formats import Report
from formats.roundtrip import read_text, there_and_back
from strategies import corpora

WORK = {
    "tokens": ["Ana", "of", "Acme"],
    "entities": [{"type": "Peop", "start": 0, "end": 1}, {"type": "Org", "start": 2, "end": 3}],
    "relations": [{"type": "Work_For", "head": 0, "tail": 1}],
    "orig_id": 5121,
}


@given(corpora())
def test_tokens_annotation_and_ids_survive(corpus):
    read, report = there_and_back("spert", corpus)
    assert read == corpus
    assert not report


def test_what_it_cannot_hold_is_reported():
    sentence = Sentence(["a"], [Entity(0, 1, "X", 0.5)], id="1", document="d").with_text()
    read, report = there_and_back("spert", [sentence])
    assert read == [Sentence(["a"], [Entity(0, 1, "X")], id="1")]
    assert set(report.findings) == {
        "document not carried over",
        "text not carried over",
        "scores not carried over",
    }


def test_an_array_as_spert_writes_it_is_read():
    assert read_text("spert", json.dumps([WORK], indent=1)) == [
        Sentence(
            ["Ana", "of", "Acme"],
            [Entity(0, 1, "Peop"), Entity(2, 3, "Org")],
            [Relation("Work_For", 0, 1)],
            id="5121",
        )
    ]


def test_repeats_are_kept_once_and_other_fields_reported():
    report = Report()
    again = {**WORK, "relations": WORK["relations"] * 2, "pos": ["NNP", "IN", "NNP"]}
    [sentence] = read_text("spert", json.dumps([again]), report)
    assert sentence.relations == (Relation("Work_For", 0, 1),)
    assert set(report.findings) == {"relation given twice, kept once", "field 'pos' not carried over"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tokens": None}, "tokens: must be a list, not missing"),
        ({"entities": ["x"]}, "entities[0]: must be of type dict"),
        (
            {"entities": [{"type": "Peop", "start": 2, "end": 1}]},
            "entities[0]: entity span 2..1 is empty or reversed",
        ),
        ({"relations": [{"type": "R", "head": 0, "tail": 2}]}, "relations[0]: relation R names entity 2"),
    ],
)
def test_a_wrong_object_is_one_error_with_its_place(change, words):
    with pytest.raises(BiaffinityError) as error:
        read_text("spert", json.dumps([WORK, {**WORK, **change}]))
    assert f"/x:1: [1]: {words}" in str(error.value)


@pytest.mark.parametrize("name", ["ade/test", "scierc/test", "conll04/test"])
def test_whole_corpora_survive(corpora, name):
    corpus = list(formats.read(corpora / f"{name}.jsonl"))
    assert there_and_back("spert", corpus)[0] == corpus
