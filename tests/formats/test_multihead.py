from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from biaffinity import formats
from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.errors import BiaffinityError
from biaffinity.formats import Report, multihead
from formats.roundtrip import read_text, there_and_back
from strategies import corpora

FILE = """\
#doc 5121
0\tAna\tB-Peop\t['N']\t[0]
1\tRuiz\tI-Peop\t['Work_For', 'Live_In']\t[3, 5]
2\tof\tO\t['N']\t[2]
3\tAcme\tB-Org\t['OrgBased_In']\t[5]
4\tin\tO\t['N']\t[4]
5\tOslo\tB-Loc\t['N']\t[5]
#doc 17
0\tQuiet\tO\t['N']\t[0]
"""
SENTENCES = [
    Sentence(
        ["Ana", "Ruiz", "of", "Acme", "in", "Oslo"],
        [Entity(0, 2, "Peop"), Entity(3, 4, "Org"), Entity(5, 6, "Loc")],
        [Relation("Work_For", 0, 1), Relation("Live_In", 0, 2), Relation("OrgBased_In", 1, 2)],
        id="5121",
    ),
    Sentence(["Quiet"], id="17"),
]


def read(text: str, report: Report | None = None) -> list[Sentence]:
    return read_text("multihead", text, report)


def in_line_order(sentence: Sentence) -> Sentence:
    return replace(sentence, relations=sorted(sentence.relations, key=lambda relation: relation.head))


@given(corpora(overlapping=False))
def test_flat_sentences_survive_their_relations_in_the_order_of_lines(corpus):
    read, report = there_and_back("multihead", corpus)
    assert read == [in_line_order(sentence) for sentence in corpus]
    assert not report


def test_a_file_of_the_original_layout_is_read():
    assert read(FILE) == SENTENCES


def test_the_original_layout_is_written(tmp_path):
    multihead.write(tmp_path / "x", SENTENCES, Report())
    assert (tmp_path / "x").read_text() == FILE


def test_lists_without_spaces_and_blank_lines_are_read_too():
    assert read(FILE.replace(", ", ",").replace("#doc 17", "\n#doc 17")) == SENTENCES


def test_an_entity_that_starts_inside_is_kept_and_reported():
    report = Report()
    assert read(FILE.replace("B-Org", "I-Org"), report)[0].entities == SENTENCES[0].entities
    assert str(report).startswith("1 x entity starts without B-, kept (e.g. ")
    assert str(report).endswith("/x:1: token 3)")


def test_a_relation_off_the_last_token_is_left_out_and_reported():
    report = Report()
    assert len(read(FILE.replace("[3, 5]", "[2, 5]"), report)[0].relations) == 2
    assert list(report.findings) == ["relation left out: an argument is not the last token of an entity"]


def test_overlapping_entities_and_relations_called_n_are_reported():
    entities = [Entity(0, 2, "Org"), Entity(1, 2, "Loc"), Entity(2, 3, "Loc")]
    sentence = Sentence(
        ["a", "b", "c"], entities, [Relation("Located_In", 1, 2), Relation("N", 0, 2)], id="1"
    )
    read, report = there_and_back("multihead", [sentence])
    assert read == [Sentence(["a", "b", "c"], [entities[0], entities[2]], id="1")]
    assert set(report.findings) == {
        "entity left out: it overlaps a longer one",
        "relation left out: an argument overlaps a longer entity",
        "relation of type N left out: it stands for none here",
    }


def test_labels_with_quotes_and_tokens_with_tabs_do_not_break_the_columns():
    entities = [Entity(0, 1, "it's"), Entity(1, 2, "b-c")]
    read, report = there_and_back(
        "multihead", [Sentence(["a\tb", "c"], entities, [Relation("'x\t", 0, 1)], id="1")]
    )
    assert read == [Sentence(["a_b", "c"], entities, [Relation("'x\t", 0, 1)], id="1")]
    assert list(report.findings) == ["white space inside a token or label written as _"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("#doc 5121\n", "", "/x:1: a token before the first sentence"),
        ("2\tof\tO\t['N']\t[2]", "2 of O ['N'] [2]", "/x:4: 1 columns where 5 are due"),
        ("2\tof", "3\tof", "/x:4: index '3' where 2 is due"),
        ("\tof\t", "\t\t", "/x:4: the token is empty"),
        ("B-Org", "Org", "/x:5: 'Org' is not a tag"),
        ("[3, 5]", "[3]", "/x:3: 2 relations for 1 heads"),
        ("[3, 5]", "[3, 6]", "head 6 leaves the sentence of 6 tokens"),
        ("[3, 5]", "[3, -1]", "/x:3: head -1 leaves the sentence"),
        ("[3, 5]", "[3, '5']", "/x:3: \"[3, '5']\" is not a list such as [7, 9]"),
        ("['OrgBased_In']", "OrgBased_In", "/x:5: 'OrgBased_In' is not a list such as"),
        ("['OrgBased_In']", "[__import__('os')]", "/x:5: "),
        ("['OrgBased_In']", "[" * 500, "/x:5: "),
        ("['OrgBased_In']", "['']", "relation type must be a non-empty string"),
    ],
)
def test_a_wrong_line_is_one_error_with_its_number(old, new, words):
    assert old in FILE
    with pytest.raises(BiaffinityError) as error:
        read(FILE.replace(old, new))
    assert words in str(error.value)
    assert str(error.value).count("/x:") == 1


def test_all_of_conll04_survives(corpora):
    for part in ("train", "dev", "test"):
        corpus = list(formats.read(corpora / "conll04" / f"{part}.jsonl"))
        assert there_and_back("multihead", corpus)[0] == [in_line_order(s) for s in corpus]
