from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from biaffinity import formats
from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.errors import BiaffinityError
from biaffinity.formats import Report, conll
from formats.roundtrip import bare, read_text, there_and_back
from strategies import corpora

TOKENS = ["Ana", "Ruiz", "met", "Lee", "Venn"]
ENTITIES = [Entity(0, 2, "Peop"), Entity(3, 4, "Peop"), Entity(4, 5, "Peop")]


def read(text: str, report: Report | None = None) -> list[Sentence]:
    return read_text("conll", text, report)


def columns(*tags: str) -> str:
    return "".join(f"{token} {tag}\n" for token, tag in zip(TOKENS, tags, strict=True))


@given(corpora(overlapping=False, relations=False))
def test_tokens_and_flat_entities_survive(corpus):
    read, report = there_and_back("conll", corpus)
    assert [bare(s) for s in read] == [bare(s) for s in corpus]
    assert [s.id for s in read] == [str(number) for number in range(1, len(corpus) + 1)]
    assert set(report.findings) <= {"id not carried over"}


@pytest.mark.parametrize(
    "tags",
    [
        ("I-Peop", "I-Peop", "O", "I-Peop", "B-Peop"),
        ("B-Peop", "I-Peop", "O", "B-Peop", "B-Peop"),
        ("B-Peop", "L-Peop", "O", "U-Peop", "U-Peop"),
        ("B-Peop", "E-Peop", "O", "S-Peop", "S-Peop"),
    ],
)
def test_every_scheme_gives_the_same_entities_and_no_complaint(tags):
    report = Report()
    assert read(columns(*tags), report) == [Sentence(TOKENS, ENTITIES, id="1")]
    assert not report


def test_a_slip_in_the_scheme_is_reported_with_its_line_and_the_entity_kept():
    report = Report()
    [sentence] = read(columns("B-Peop", "I-Peop", "O", "I-Peop", "B-Peop"), report)
    assert list(sentence.entities) == ENTITIES
    assert str(report).startswith("1 x entity tagged against the rules of IOB2, kept (e.g. ")
    assert str(report).endswith("/x:4)")


def test_the_scheme_is_that_of_the_whole_file_and_not_of_a_sentence():
    report = Report()
    read(columns("I-Peop", "I-Peop", "O", "O", "O") + "\n" + columns("B-Peop", "O", "O", "O", "O"), report)
    assert len(report.findings) == 1


def test_columns_between_document_marks_and_blank_lines_are_skipped():
    text = "-DOCSTART- -X- O O\n\nAna NNP B-NP B-Peop\nleft VBD B-VP O\n\n\n\nOslo\tNNP\tB-NP\tB-Loc\r\n"
    assert read(text) == [
        Sentence(["Ana", "left"], [Entity(0, 1, "Peop")], id="1"),
        Sentence(["Oslo"], [Entity(0, 1, "Loc")], id="2"),
    ]


def test_what_it_cannot_hold_is_reported():
    nested = Sentence(
        ["Bank of", "Oslo"],
        [Entity(0, 2, "Org"), Entity(1, 2, "Loc")],
        [Relation("OrgBased_In", 0, 1)],
        id="7",
    )
    read, report = there_and_back("conll", [nested, Sentence([])])
    assert read == [Sentence(["Bank_of", "Oslo"], [Entity(0, 2, "Org")], id="1")]
    assert {kind: finding.count for kind, finding in report.findings.items()} == {
        "id not carried over": 1,
        "relation not carried over": 1,
        "entity left out: it overlaps a longer one": 1,
        "white space inside a token or label written as _": 1,
        "sentence without tokens left out": 1,
    }


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Ana", "/x:2: one column where two are due"),
        ("Ana Peop", "/x:2: 'Peop' is not a tag"),
        ("Ana B-", "/x:2: 'B-' is not a tag"),
    ],
)
def test_a_wrong_line_is_one_error_with_its_number(line, words):
    with pytest.raises(BiaffinityError) as error:
        read(f"left O\n{line}\n")
    assert words in str(error.value)
    assert error.value.remedy


def test_the_samples_of_every_scheme_agree(samples: Path):
    read = [list(conll.read(samples / f"news{kind}.conll", Report())) for kind in ("", ".iob1", ".bilou")]
    assert read[0] == read[1] == read[2]


def test_the_entities_of_conll04_survive(corpora):
    corpus = list(formats.read(corpora / "conll04" / "test.jsonl"))
    read, _ = there_and_back("conll", corpus)
    assert [(s.tokens, s.entities) for s in read] == [(s.tokens, s.entities) for s in corpus]
