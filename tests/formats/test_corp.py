from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity import formats
from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.errors import BiaffinityError
from biaffinity.formats import Report, corp
from formats.roundtrip import read_text, there_and_back
from strategies import corpora, sentences

FILE = """\
0\tPeop\t0\tO\tNNP/NNP\tAna/Ruiz\tO\tO\tO
0\tO\t1\tO\t,\tCOMMA\tO\tO\tO
0\tO\t2\tO\tIN\tof\tO\tO\tO
0\tOrg\t3\tO\tNNP/-LRB-/NN\tAcme/-LRB-/UK\tO\tO\tO

0\t3\tWork_For

1\tO\t0\tO\tCC\tand/or\tO\tO\tO
1\tOther\t1\tO\tCD\t1/2\tO\tO\tO


2\tLoc\t0\tO\tNNP\tOslo\tO\tO\tO
2\tLoc\t1\tO\tNNP\tBergen\tO\tO\tO

0\t1\tLocated_In
1\t0\tLocated_In

"""
SENTENCES = [
    Sentence(
        ["Ana", "Ruiz", ",", "of", "Acme", "(", "UK"],
        [Entity(0, 2, "Peop"), Entity(4, 7, "Org")],
        [Relation("Work_For", 0, 1)],
        id="0",
    ),
    Sentence(["and/or", "1/2"], [Entity(1, 2, "Other")], id="1"),
    Sentence(
        ["Oslo", "Bergen"],
        [Entity(0, 1, "Loc"), Entity(1, 2, "Loc")],
        [Relation("Located_In", 0, 1), Relation("Located_In", 1, 0)],
        id="2",
    ),
]
# Words that this format has its own way of writing.
AWKWARD = st.sampled_from(["/", "1/2", "a//b", "\\", "\\/", "a\\", "COMMA", ",", "(", "-LRB-", "//"])


def read(text: str, report: Report | None = None) -> list[Sentence]:
    return read_text("corp", text, report)


@given(corpora(overlapping=False))
def test_flat_sentences_survive(corpus):
    read, report = there_and_back("corp", corpus)
    assert read == corpus
    assert not report


@given(sentences(overlapping=False), st.data())
def test_awkward_words_survive_or_are_reported(sentence, data):
    tokens = [data.draw(st.just(token) | AWKWARD) for token in sentence.tokens]
    sentence = replace(sentence, tokens=tokens)
    read, report = there_and_back("corp", [sentence])
    assert (read == [sentence]) == (not report)


@given(st.lists(st.sampled_from(["/", "1/2", "a//b", ",", "(", "x"]), min_size=2, max_size=4))
def test_slashes_inside_the_words_of_an_entity_survive(tokens):
    sentence = Sentence(tokens, [Entity(0, len(tokens), "Org")], id="1")
    read, report = there_and_back("corp", [sentence])
    assert read == [sentence]
    assert not report


def test_a_file_of_the_original_layout_is_read():
    report = Report()
    assert read(FILE, report) == SENTENCES
    assert not report


def test_the_original_layout_is_written_with_x_for_parts_of_speech(tmp_path):
    corp.write(tmp_path / "x", SENTENCES, Report())
    lines = [line.split("\t") for line in FILE.splitlines()]
    for cells in lines:
        if len(cells) == 9:
            cells[4] = "/".join("X" for _ in cells[4].split("/"))
    assert (tmp_path / "x").read_text() == "".join("\t".join(cells) + "\n" for cells in lines)


def test_words_and_parts_of_speech_that_differ_in_number_are_reported():
    report = Report()
    [sentence, *_] = read(FILE.replace("NNP/NNP\t", "NNP/NNP/NNP\t"), report)
    assert sentence == SENTENCES[0]
    assert list(report.findings) == ["words and parts of speech differ in number: parted at every slash"]


def test_a_relation_to_a_word_that_is_no_entity_is_left_out_and_reported():
    report = Report()
    assert read(FILE.replace("0\t3\tWork", "0\t2\tWork"), report)[0].relations == ()
    assert list(report.findings) == ["relation left out: an argument is no entity"]


def test_one_blank_line_is_enough_to_part_sentences():
    assert read(FILE.replace("\n\n\n", "\n\n")) == SENTENCES


def test_an_entity_type_called_o_is_not_taken_for_none():
    read, report = there_and_back("corp", [Sentence(["a", "b"], [Entity(0, 2, "O")], id="1")])
    assert read == [Sentence(["a", "b"], [Entity(0, 2, "_O")], id="1")]
    assert list(report.findings) == ["entity type O written as _O: it stands for none here"]


def test_a_sentence_without_tokens_is_left_out_and_reported():
    read, report = there_and_back("corp", [Sentence([], id="1"), Sentence(["a"], id="2")])
    assert [s.id for s in read] == ["2"]
    assert list(report.findings) == ["sentence without tokens left out"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("0\tO\t2\tO\tIN\tof\tO\tO\tO", "0\tO\t2\tO\tIN\tof\tO\tO", "/x:3: 8 columns"),
        ("0\tO\t2\tO\tIN\tof\tO\tO\tO", "0\t1\tKill", "/x:3: 3 columns"),
        ("0\tO\t2", "0\tO\tx", "/x:3: index 'x' is no number or stands there twice"),
        ("0\tO\t2", "0\tO\t1", "/x:3: index '1' is no number or stands there twice"),
        ("0\tO\t2", "9\tO\t2", "/x:3: a line of sentence '9' inside sentence '0'"),
        ("\tof\t", "\t\t", "/x:3: an empty cell"),
        (
            "0\t3\tWork_For",
            "0\t7\tWork_For",
            "/x:6: relation Work_For names the index '7', which is not there",
        ),
        ("0\t3\tWork_For", "0\t3\t", "relation type must be a non-empty string"),
    ],
)
def test_a_wrong_line_is_one_error_with_its_number(old, new, words):
    assert old in FILE
    with pytest.raises(BiaffinityError) as error:
        read(FILE.replace(old, new))
    assert words in str(error.value)
    assert str(error.value).count("/x:") == 1


def test_all_of_conll04_survives(corpora):
    for part in ("train", "dev", "test", "norel"):
        corpus = list(formats.read(corpora / "conll04" / f"{part}.jsonl"))
        read, report = there_and_back("corp", corpus)
        assert read == corpus
        assert not report
