from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity import formats
from biaffinity.annotation import Document, Entity, Judged, Relation, Sentence
from biaffinity.errors import BiaffinityError
from biaffinity.formats import Report, jsonl
from formats.roundtrip import read_text, there_and_back
from paragraph import PARAGRAPH
from strategies import corpora, whole_documents

ANNA: dict[str, Any] = {
    "id": "7",
    "text": "Anna Lee left Łódź.",
    "entities": [{"start": 0, "end": 8, "type": "Peop"}, {"start": 14, "end": 18, "type": "Loc"}],
    "relations": [{"type": "Live_In", "head": 0, "tail": 1}],
}


def spanning(start: int, end: int, **more: str) -> dict[str, Any]:
    """A line's field with one entity."""
    return {"entities": [{"start": start, "end": end, "type": "X", **more}]}


def relating(head: int, tail: int) -> dict[str, Any]:
    """A line's field with one relation."""
    return {"relations": [{"type": "R", "head": head, "tail": tail}]}


def read(*lines: dict[str, Any], report: Report | None = None) -> list[Sentence]:
    return read_text("jsonl", "".join(json.dumps(line) + "\n" for line in lines), report)


@given(corpora(scores=True), st.booleans(), st.none() | st.just("doc"))
def test_everything_survives(corpus, has_text, document):
    corpus = [replace(s.with_text() if has_text else s, document=document) for s in corpus]
    read, report = there_and_back("jsonl", corpus)
    assert read == corpus
    assert not report


def test_the_sample_reads_with_its_texts(samples):
    sentences = list(jsonl.read(samples / "news.jsonl", Report()))
    assert [s.id for s in sentences] == ["harbour:0", "harbour:1", "harbour:2", "court:0", "court:1"]
    assert [sentences[0].entity_text(i) for i in range(4)] == ["Ana Ruiz", "Norvik Oil", "Bergen", "Norway"]
    assert sum(len(s.relations) for s in sentences) == 9


@given(whole_documents(scores=True))
def test_documents_give_their_sentences(document):
    assert read(document.to_dict()) == list(document.sentences)


def test_documents_without_tokens_give_their_sentences_cut_anew():
    report = Report()
    found = read(PARAGRAPH.to_dict(tokens=False), report=report)
    assert [(s.tokens, s.entities, s.relations, s.text) for s in found] == [
        (s.tokens, s.entities, s.relations, s.text) for s in PARAGRAPH.sentences
    ]
    assert [(s.id, s.document) for s in found] == [(f"paragraph:{n}", "paragraph") for n in range(4)]
    assert not report


@pytest.mark.parametrize("tokens", [True, False])
def test_documents_may_come_in_an_array(tokens):
    records = [Document(PARAGRAPH.sentences, id=name).to_dict(tokens=tokens) for name in "ab"]
    assert read_text("jsonl", json.dumps(records)) == read(*records)


@pytest.mark.parametrize("tokens", [True, False])
def test_documents_without_an_id_are_called_by_their_number(tokens):
    record = Document(PARAGRAPH.sentences).to_dict(tokens=tokens)
    assert [s.document for s in read(record, record)] == ["1"] * 4 + ["2"] * 4


def test_a_document_whose_sentences_were_taken_out_is_read_by_its_characters():
    record = PARAGRAPH.to_dict()
    del record["sentences"]
    assert read(record) == read(PARAGRAPH.to_dict(tokens=False))


def test_a_raw_text_is_cut_into_tokens_and_its_annotation_laid_over_them():
    [sentence] = read(ANNA)
    assert sentence.tokens == ("Anna", "Lee", "left", "Łódź", ".")
    assert sentence.entities == (Entity(0, 2, "Peop"), Entity(3, 4, "Loc"))
    assert sentence.relations == (Relation("Live_In", 0, 1),)
    assert (sentence.id, sentence.text) == ("7", ANNA["text"])


def test_a_raw_text_with_token_spans_has_just_those_tokens():
    [sentence] = read({**ANNA, "token_spans": [[0, 4], [5, 8], [9, 13], [14, 19]]})
    assert sentence.tokens == ("Anna", "Lee", "left", "Łódź.")
    assert (sentence.id, sentence.document) == ("7", None)


def test_a_span_that_cuts_a_token_is_widened_and_reported():
    report = Report()
    [sentence] = read(
        {**ANNA, "entities": [{"start": 0, "end": 7, "type": "Peop"}], "relations": []}, report=report
    )
    assert sentence.entities == (Entity(0, 2, "Peop"),)
    assert list(report.findings) == ["entity widened to whole tokens"]


def test_a_bare_text_gives_sentences_without_annotation():
    assert [s.entities for s in read({"text": "Anna left. Lee stayed."})] == [(), ()]


def test_annotation_may_be_absent_and_the_id_is_then_a_number():
    assert read({"tokens": ["a"]}, {"tokens": ["b"], "id": None}) == [
        Sentence(["a"], id="1"),
        Sentence(["b"], id="2"),
    ]


def test_a_field_without_a_place_is_reported():
    report = Report()
    read({"tokens": ["a"], "pos": ["DT"]}, report=report)
    assert list(report.findings) == ["field 'pos' not carried over"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"id": "1"}, "tokens: must be a list, not missing"),
        ({"tokens": "a b"}, "tokens: must be a list, not 'a b'"),
        ({"tokens": ["a", ""]}, "tokens[1]: must be a non-empty string"),
        ({"tokens": ["a"], "entities": {}}, "entities: must be a list"),
        ({"tokens": ["a"], **spanning(1, 0)}, "entities[0]: entity span 1..0 is empty or reversed"),
        ({"tokens": ["a"], **spanning(-1, 0)}, "entities[0]: start must not be negative"),
        ({"tokens": ["a"], "entities": spanning(0, 1)["entities"] * 2}, "entities[1]: entity X 0..1 stands"),
        ({"tokens": ["a"], **relating(0, 1)}, "relations[0]: relation R names entity 0"),
        ({"text": 5}, "text: must be a string"),
        ({**ANNA, "entities": {}}, "entities: must be a list"),
        ({**ANNA, "token_spans": [["a", 3]]}, "token_spans: must hold whole numbers"),
        ({**ANNA, "token_spans": [[4, 3]]}, "token_spans[0]: span 4..3 is empty, out of order"),
        ({**ANNA, "token_spans": [3]}, "token_spans: must be a list of [start, end] pairs"),
        ({**ANNA, **spanning(8, 0)}, "entities[0]: entity span 8..0 is empty or reversed"),
        ({**ANNA, **spanning(-2, 4)}, "entities[0]: entity span -2..4 leaves the text"),
        ({**ANNA, **spanning(0, 4, text="Lee")}, "entities[0]: its text 'Lee' is not what stands at 0..4"),
        ({**ANNA, **relating(0, 5)}, "relations[0]: relation R names the entity 5"),
        (
            {**ANNA, "entities": [*ANNA["entities"], {"type": "X", "start_char": 3}]},
            "entities[2]: entity off",
        ),
        (
            {**ANNA, "entities": [{**ANNA["entities"][0], "score": 7}]},
            "entities[0]: score must lie in [0, 1]",
        ),
        ({**ANNA, "relations": [{**ANNA["relations"][0], "score": "x"}]}, "relations[0]: score must lie in"),
        ({"text": "a", "sentences": 3}, "sentences: must be a list"),
    ],
)
def test_a_wrong_line_is_one_error_with_line_and_field(line, words):
    with pytest.raises(BiaffinityError) as error:
        read({"tokens": ["fine"]}, line)
    assert "/x:2: " in str(error.value)
    assert words in str(error.value)
    assert str(error.value).count("/x:") == 1


def test_two_tokens_on_the_same_characters_become_one_and_are_reported():
    report = Report()
    spans = [[0, 4], [5, 8], [9, 13], [14, 18], [18, 19], [18, 19]]
    assert read({**ANNA, "token_spans": spans}, report=report)[0].tokens == (
        "Anna",
        "Lee",
        "left",
        "Łódź",
        ".",
    )
    assert list(report.findings) == ["token on the same characters as the one before joined with it"]


@pytest.mark.parametrize("part", ["train", "dev", "test"])
def test_conll04_in_raw_text_has_the_facts_of_its_token_file(corpora, part):
    def facts(name: str) -> list[object]:
        sentences = list(formats.read(corpora / "conll04" / name))
        return [(s.id, [e.type for e in s.entities], s.relations) for s in sentences]

    assert facts(f"{part}.raw.jsonl") == facts(f"{part}.jsonl")


def test_what_was_judged_is_read_and_written(tmp_path: Path) -> None:
    sentence = Sentence(
        ["Ana", "left"], [Entity(0, 1, "Peop")], id="1", judged=Judged(tokens=[], relations=["Kill"])
    )
    formats.write(tmp_path / "partly.jsonl", [sentence])
    assert list(formats.read(tmp_path / "partly.jsonl")) == [sentence]


def test_other_formats_say_that_they_cannot_hold_what_was_judged(tmp_path: Path) -> None:
    report = formats.Report()
    formats.write(
        tmp_path / "a.spert.json", [Sentence(["Ana"], id="1", judged=Judged(tokens=[]))], report=report
    )
    assert list(report.findings) == ["what was judged not carried over"]


def test_a_raw_text_cannot_say_what_was_judged(tmp_path: Path) -> None:
    path = tmp_path / "raw.jsonl"
    path.write_text('{"text": "Ana left.", "entities": [], "judged": {"tokens": []}}\n', encoding="utf-8")
    with pytest.raises(BiaffinityError, match="judged: counts tokens, and a raw text has none"):
        list(formats.read(path))
