from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from biaffinity import formats
from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.errors import DataError, UsageError
from biaffinity.formats import brat
from biaffinity.formats.alignment import ACROSS_SENTENCES
from biaffinity.formats.detection import Sample
from biaffinity.formats.machine import Machine
from biaffinity.formats.report import Report
from characters import CUT_ANEW, documents_of_sentences, in_characters

TEXT = "Ana Ruiz and Bo Ruiz left Bergen."


def folder(tmp_path: Path, annotation: str | bytes, text: str = TEXT) -> Path:
    """A folder with one pair of files, its texts' line ends as given."""
    (tmp_path / "a.txt").write_bytes(text.encode())
    (tmp_path / "a.ann").write_bytes(annotation if isinstance(annotation, bytes) else annotation.encode())
    return tmp_path


def read_one(tmp_path: Path, annotation: str, text: str = TEXT) -> tuple[Sentence, dict[str, int]]:
    report = Report()
    [sentence] = brat.read(folder(tmp_path, annotation, text), report, split=False)
    return sentence, {kind: finding.count for kind, finding in report.findings.items()}


def texts(sentence: Sentence) -> list[str]:
    return [sentence.entity_text(index) for index in range(len(sentence.entities))]


def test_reads_the_sample_exactly(samples: Path) -> None:
    report = Report()
    lines = (samples / "news.jsonl").read_text("utf-8").splitlines()
    expected = sorted((Sentence.from_dict(json.loads(line)) for line in lines), key=lambda s: s.id)
    assert list(brat.read(samples / "news.brat", report)) == expected
    assert not report


@given(documents_of_sentences())
def test_ids_texts_entities_and_relations_round_trip(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[Sentence]
) -> None:
    path = tmp_path_factory.mktemp("brat") / "out"
    report = Report()
    brat.write(path, sentences, report)
    if sentences:
        assert in_characters(brat.read(path, report, split=False)) == in_characters(sentences)
    assert report.findings.keys() <= {CUT_ANEW}


def test_entities_relations_and_their_roles_are_read(tmp_path: Path) -> None:
    sentence, notes = read_one(
        tmp_path,
        "R1\tMarried Arg1:T1 Arg2:T2\t\n"
        "T1\tPeop 0 8\tAna Ruiz\n"
        "T2\tPeop 13 20\tBo Ruiz\n"
        "T3\tLoc 26 32\tBergen\n"
        "R2\tLive_In Arg2:T3 Arg1:T2\n"
        "R3\tLeft Who:T1 What:T3\n"
        "\n",
    )
    assert texts(sentence) == ["Ana Ruiz", "Bo Ruiz", "Bergen"]
    assert sentence.relations == (
        Relation("Married", 0, 1),
        Relation("Live_In", 1, 2),
        Relation("Left", 0, 2),
    )
    assert notes == {}


def test_a_discontinuous_entity_is_taken_whole_and_reported(tmp_path: Path) -> None:
    sentence, notes = read_one(tmp_path, "T1\tPeop 0 3;16 20\tAna Ruiz\n")
    assert texts(sentence) == ["Ana Ruiz and Bo Ruiz"]
    assert notes == {"discontinuous entity: taken from its first to its last part": 1}


def test_an_entity_cut_only_at_a_line_end_is_whole(tmp_path: Path) -> None:
    sentence, notes = read_one(tmp_path, "T1\tPeop 0 3;5 9\tAna Ruiz\n", text="Ana\r\nRuiz left.")
    assert texts(sentence) == ["Ana\r\nRuiz"]
    assert notes == {}


def test_a_reversed_part_of_a_discontinuous_entity_is_an_error(tmp_path: Path) -> None:
    path = folder(tmp_path, "T1\tPeop 3 0;16 20\tAna Ruiz\n")
    with pytest.raises(DataError) as caught:
        list(brat.read(path, Report()))
    assert str(caught.value).startswith(f"{path / 'a.ann'}:1: entity part 3..0 is empty or reversed (correct")


def test_everything_a_sentence_cannot_hold_is_reported_by_kind(tmp_path: Path) -> None:
    sentence, notes = read_one(
        tmp_path,
        "T1\tPeop 0 8\tAna Ruiz\nT2\tPeop 13 20\tBo Ruiz\nT3\tMove 21 25\tleft\n"
        "E1\tMove:T3 Who:T1\nA1\tNegation E1\nM1\tSpeculation E1\nN1\tReference T1 Wiki:7\tAna\n"
        "*\tEquiv T1 T2\n#1\tAnnotatorNotes T1\tsure\nR1\tCause Arg1:T1 Arg2:E1\n",
    )
    assert texts(sentence) == ["Ana Ruiz", "Bo Ruiz", "left"]
    assert sentence.relations == ()
    assert notes == {
        "event left out (its trigger is kept as an entity)": 1,
        "attribute left out": 1,
        "modification left out": 1,
        "normalisation left out": 1,
        "equivalence left out": 1,
        "note left out": 1,
        "relation to an event left out": 1,
    }


def test_a_text_that_differs_from_the_offsets_is_reported_and_the_offsets_followed(tmp_path: Path) -> None:
    sentence, notes = read_one(tmp_path, "T1\tPeop 0 8\tBo Ruiz\n")
    assert texts(sentence) == ["Ana Ruiz"]
    assert notes == {"entity's text in .ann differs from .txt: its offsets are followed": 1}


def test_a_cut_token_is_widened_and_reported_with_its_line(tmp_path: Path) -> None:
    report = Report()
    path = folder(tmp_path, "T1\tLoc 26 32\tBergen\nT2\tPeop 0 6\tAna Ru\n")
    [sentence] = brat.read(path, report)
    assert texts(sentence) == ["Bergen", "Ana Ruiz"]
    assert str(report) == f"1 x entity widened to whole tokens (e.g. {path / 'a.ann'}:2)"


def test_offsets_count_both_characters_of_a_windows_line_end(tmp_path: Path) -> None:
    sentence, notes = read_one(tmp_path, "T1\tLoc 6 12\tBergen\r\n", text="Left\r\nBergen.\r\n")
    assert texts(sentence) == ["Bergen"]
    assert sentence.text == "Left\r\nBergen.\r\n"
    assert notes == {}


def test_offsets_count_an_emoji_as_one_character(tmp_path: Path) -> None:
    sentence, notes = read_one(tmp_path, "T1\tPeop 2 5\tAna\n", text="😀 Ana left.")
    assert texts(sentence) == ["Ana"]
    assert notes == {}


def test_relations_across_sentences_are_left_out_unless_the_text_is_kept_whole(tmp_path: Path) -> None:
    path = folder(
        tmp_path,
        "T1\tPeop 0 3\tAna\nT2\tPeop 10 12\tBo\nR1\tKnows Arg1:T1 Arg2:T2\n",
        text="Ana left. Bo stayed.",
    )
    report = Report()
    assert [s.relations for s in brat.read(path, report)] == [(), ()]
    assert str(report) == f"1 x {ACROSS_SENTENCES} (e.g. {path / 'a.ann'}:3)"
    assert [len(s.relations) for s in brat.read(path, Report(), split=False)] == [1]


def test_sub_folders_are_read_in_natural_order_and_hidden_files_are_not(tmp_path: Path) -> None:
    for name in ("s10", "s9", "deep/s1", ".hidden", ".git/x"):
        file = tmp_path / f"{name}.txt"
        file.parent.mkdir(exist_ok=True)
        file.write_text("Ana left.", "utf-8")
        file.with_suffix(".ann").write_text("", "utf-8")
    assert [s.document for s in brat.read(tmp_path, Report())] == ["deep/s1", "s9", "s10"]


@pytest.mark.parametrize("name", ["a.ann", "a.txt"])
def test_one_pair_of_files_is_read_by_either_name(tmp_path: Path, name: str) -> None:
    [sentence] = brat.read(folder(tmp_path, "T1\tLoc 26 32\tBergen\n") / name, Report())
    assert (sentence.document, texts(sentence)) == ("a", ["Bergen"])


def test_a_text_without_annotation_is_read_and_reported(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT, "utf-8")
    report = Report()
    [sentence] = brat.read(tmp_path, report)
    assert sentence.entities == ()
    assert list(report.lines()) == [
        f"1 x text without an .ann file: read without entities (e.g. {tmp_path / 'a.txt'})"
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "T1\tPeop 0\tAna",
            "not an entity line: 'T1\\tPeop 0\\tAna' (it reads T1<TAB>TYPE START END<TAB>TEXT)",
        ),
        (
            "T1 Peop 0 8 Ana",
            "not an entity line: 'T1 Peop 0 8 Ana' (it reads T1<TAB>TYPE START END<TAB>TEXT)",
        ),
        ("R1\tKill T1 T2", "not a relation line: 'R1\\tKill T1 T2' (it reads R1<TAB>TYPE Arg1:T1 Arg2:T2)"),
        ("<xml>", "not a line of an .ann file: '<xml>' (a line starts with T, R, E, A, M, N, * or #)"),
        (
            "T0\tPeop 1 9\tna Ruiz",
            "the entity id 'T0' is used twice (give every entity of a text its own id)",
        ),
        (
            "R1\tKill Arg1:T0 Arg2:T7",
            "relation Kill names the entity 'T7', which is not there (add that entity",
        ),
        ("T1\tPeop 8 0\tAna", "entity span 8..0 is empty or reversed (correct its offsets: the start comes"),
        ("T1\tPeop -4 3\tAna", "entity span -4..3 leaves the text of 33 characters (correct its offsets"),
        ("T1\tPeop 0 99\tAna", "entity span 0..99 leaves the text of 33 characters (correct its offsets"),
        ("T1\tPeop 8 9\t ", "entity span 8..9 covers only white space (remove the entity or correct its"),
    ],
)
def test_a_broken_line_is_an_error_with_file_line_and_remedy(tmp_path: Path, line: str, message: str) -> None:
    path = folder(tmp_path, f"T0\tPeop 0 8\tAna Ruiz\n{line}\n")
    with pytest.raises(DataError) as caught:
        list(brat.read(path, Report()))
    assert str(caught.value).startswith(f"{path / 'a.ann'}:2: {message}")


def test_an_annotation_that_is_not_utf8_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = folder(tmp_path, b"T1\tPeop 0 8\tAna Ruiz\nT2\tLoc 26 32\tB\xe9rgen\n")
    with pytest.raises(DataError, match=re.escape(f"{path / 'a.ann'}:2: byte 0xe9 is not UTF-8 (convert")):
        list(brat.read(path, Report()))


def test_a_text_that_is_not_utf8_is_an_error_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\ntwo \xff\n")
    with pytest.raises(
        DataError, match=re.escape(f"{tmp_path / 'a.txt'}:2: byte 0xff is not UTF-8 (convert")
    ):
        list(brat.read(tmp_path, Report()))


def test_an_annotation_without_its_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.ann").write_text("", "utf-8")
    with pytest.raises(DataError) as caught:
        list(brat.read(tmp_path, Report()))
    assert str(caught.value) == (
        f"{tmp_path / 'a.ann'}: its text is missing (put a.txt beside it, or remove it)"
    )


def test_a_missing_folder_an_empty_one_and_a_wrong_file_are_errors(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere: no such folder \(check the path\)$"):
        list(brat.read(tmp_path / "nowhere", Report()))
    with pytest.raises(DataError, match=r"holds no \.txt files \(name the folder of the texts\)$"):
        list(brat.read(tmp_path, Report()))
    (tmp_path / "a.json").write_text("[]", "utf-8")
    with pytest.raises(
        DataError, match=r"a\.json: is neither a folder nor an \.ann or \.txt file \(name the"
    ):
        list(brat.read(tmp_path / "a.json", Report()))


def test_what_is_written_is_what_brat_writes(tmp_path: Path) -> None:
    sentence = Sentence(
        ["Ana", "Ruiz", "left"],
        [Entity(2, 3, "Act"), Entity(0, 2, "Peop")],
        [Relation("Did", 1, 0)],
        id="x",
        text="Ana\nRuiz left",
        token_spans=[(0, 3), (4, 8), (9, 13)],
    )
    brat.write(tmp_path / "out", [sentence], Report())
    assert (tmp_path / "out" / "x.txt").read_bytes() == b"Ana\nRuiz left"
    assert (tmp_path / "out" / "x.ann").read_bytes() == (
        b"T1\tAct 9 13\tleft\nT2\tPeop 0 8\tAna Ruiz\nR1\tDid Arg1:T2 Arg2:T1\t\n"
    )


def test_white_space_in_a_type_is_replaced_and_reported(tmp_path: Path) -> None:
    report = Report()
    brat.write(tmp_path / "out", [Sentence(["Ana"], [Entity(0, 1, "a person")], id="x")], report)
    assert (tmp_path / "out" / "x.ann").read_text("utf-8") == "T1\ta_person 0 3\tAna\n"
    assert str(report) == "1 x white space in a type written as _ (e.g. x)"


def test_documents_with_sub_folders_in_their_ids_round_trip(tmp_path: Path) -> None:
    brat.write(tmp_path / "out", [Sentence(["Ana"], id="deep/down/x.v1")], Report())
    assert (tmp_path / "out" / "deep" / "down" / "x.v1.txt").is_file()
    assert [s.id for s in brat.read(tmp_path / "out", Report())] == ["deep/down/x.v1"]


@given(st.lists(st.text(max_size=12) | st.text(alphabet="./\\aA:\0", max_size=6), max_size=6))
@example(
    ["../../x", "/etc/x", "x/../..", "..", ".", "", "", "a\0b", "A", "a", "a" * 300, "a" * 299, "é" * 200]
)
def test_every_document_gets_a_pair_of_its_own_inside_the_folder(
    tmp_path_factory: pytest.TempPathFactory, ids: list[str]
) -> None:
    home = tmp_path_factory.mktemp("brat")
    sentences = [Sentence([f"w{number}"], id=id_) for number, id_ in enumerate(ids)]
    brat.write(home / "out", sentences, Report())
    assert [path.name for path in home.iterdir()] == ["out"]
    if ids:
        found = [s.tokens[0] for s in brat.read(home / "out", Report())]
        assert sorted(found) == sorted(s.tokens[0] for s in sentences)


def test_an_id_that_cannot_be_a_file_name_is_changed_and_reported(tmp_path: Path) -> None:
    report = Report()
    sentences = [Sentence(["a"], id="../up"), Sentence(["b"], id="up"), Sentence(["c"], id="fine")]
    brat.write(tmp_path / "out", sentences, report)
    assert sorted(p.name for p in (tmp_path / "out").glob("*.txt")) == ["fine.txt", "up-2.txt", "up.txt"]
    assert str(report) == "2 x document id changed to fit a file name of its own (e.g. ../up; up)"


def test_names_that_differ_only_in_case_are_kept_apart(tmp_path: Path) -> None:
    brat.write(tmp_path / "out", [Sentence(["a"], id="News"), Sentence(["b"], id="news")], Report())
    assert sorted(p.name for p in (tmp_path / "out").glob("*.txt")) == ["News.txt", "news-2.txt"]


def test_a_folder_that_holds_anything_is_refused_and_untouched(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("x", "utf-8")
    with pytest.raises(UsageError, match=r": folder is not empty \(name a new folder, or empty this one\)$"):
        brat.write(tmp_path, [Sentence(["Ana"], id="x")], Report())
    assert [p.name for p in tmp_path.iterdir()] == ["precious"]


def test_a_file_where_the_folder_belongs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x", "utf-8")
    with pytest.raises(
        UsageError, match=r"out: is a file, a folder is to be written here \(name a folder\)$"
    ):
        brat.write(tmp_path / "out", [], Report())


@pytest.mark.parametrize("is_there", [True, False])
def test_an_error_on_the_way_leaves_nothing_behind(tmp_path: Path, is_there: bool) -> None:
    def failing() -> Iterator[Sentence]:
        yield Sentence(["Ana"], id="x")
        raise DataError("broken line", where="in.jsonl:2")

    out = tmp_path / "out"
    if is_there:
        out.mkdir()
    with pytest.raises(DataError, match=r"in\.jsonl:2: broken line"):
        brat.write(out, failing(), Report())
    assert [p.name for p in tmp_path.rglob("*")] == (["out"] if is_there else [])


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    brat.write(tmp_path, [Sentence(["Ana"], id="x")], Report())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["annotation.conf", "x.ann", "x.txt"]


def test_scores_are_reported_as_lost(tmp_path: Path) -> None:
    report = Report()
    brat.write(tmp_path / "out", [Sentence(["Ana"], [Entity(0, 1, "Peop", 0.5)], id="x")], report)
    assert str(report) == "1 x scores not carried over (e.g. x)"


def test_folders_of_annotation_and_ann_files_are_recognised(tmp_path: Path, samples: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert not brat.recognises(Sample.of(tmp_path))
    (tmp_path / "x.txt").write_text("no annotation here", "utf-8")
    assert brat.recognises(Sample.of(tmp_path))
    assert brat.recognises(Sample.of(samples / "news.brat"))
    assert brat.recognises(Sample.of(samples / "news.brat" / "court.ann"))
    assert not brat.recognises(Sample.of(tmp_path / "x.txt"))
    assert not brat.recognises(Sample.of(samples / "news.jsonl"))


def test_a_document_comes_back_in_its_sentences(tmp_path: Path) -> None:
    first = Sentence(["Ana", "left", "."], [Entity(0, 1, "Peop")], id="d:0", document="d").with_text()
    second = Sentence(["Bo", "stayed", "."], id="d:1", document="d").with_text()
    brat.write(tmp_path / "out", [first, replace(second, text="Bo stayed .\r\n")], Report())
    assert list(brat.read(tmp_path / "out", Report())) == [first, replace(second, text="Bo stayed .\r\n")]


def test_a_folder_of_texts_alone_is_read_without_entities(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("Ana left.", "utf-8")
    report = Report()
    [sentence] = formats.read(tmp_path, report=report)
    assert (sentence.tokens, sentence.entities) == (("Ana", "left", "."), ())
    assert str(report).startswith("1 x text without an .ann file: read without entities")


def test_annotation_conf_tells_brat_the_types(tmp_path: Path) -> None:
    sentence = Sentence(
        ["Ana", "left"], [Entity(0, 1, "A B"), Entity(1, 2, "C")], [Relation("R", 1, 0)], id="x"
    )
    brat.write(tmp_path, [sentence], Report())
    assert (tmp_path / "annotation.conf").read_text("utf-8") == (
        "[entities]\nA_B\nC\n\n[relations]\nR\tArg1:<ENTITY>, Arg2:<ENTITY>\n\n[events]\n\n[attributes]\n"
    )


def test_a_document_that_is_called_by_its_text_file_keeps_its_name(tmp_path: Path) -> None:
    report = Report()
    brat.write(tmp_path, [Sentence(["Ana"], id="notes/a.txt"), Sentence(["Bo"], id="b")], report)
    names = ["annotation.conf", "b.ann", "b.txt", "notes", "notes/a.ann", "notes/a.txt"]
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == names
    assert not report


def test_a_machine_signs_each_of_its_labels(tmp_path: Path) -> None:
    entities = [Entity(0, 1, "Peop", 0.5), Entity(1, 2, "Loc")]
    sentence = Sentence(["Ana", "Ruiz"], entities, [Relation("In", 0, 1, 0.25)], id="x")
    report = Report()
    brat.write(tmp_path, [sentence], report, by=Machine("news 1a", ["Loc", "Org", "Peop"], ["In", "Kill"]))
    assert (tmp_path / "x.ann").read_text("utf-8").splitlines() == [
        "T1\tPeop 0 3\tAna",
        "T2\tLoc 4 8\tRuiz",
        "R1\tIn Arg1:T1 Arg2:T2\t",
        "#1\tAnnotatorNotes T1\tby news 1a, score 0.50",
        "#2\tAnnotatorNotes T2\tby news 1a",
        "#3\tAnnotatorNotes R1\tby news 1a, score 0.25",
    ]
    types = (tmp_path / "annotation.conf").read_text("utf-8")
    assert types.startswith("[entities]\nLoc\nOrg\nPeop\n\n[relations]\nIn\t")
    assert "\nKill\tArg1" in types
    assert not report
