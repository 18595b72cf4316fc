from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.errors import DataError
from biaffinity.formats import doccano
from biaffinity.formats.alignment import ACROSS_SENTENCES
from biaffinity.formats.detection import Sample
from biaffinity.formats.machine import Machine
from biaffinity.formats.report import Report
from characters import CUT_ANEW, documents_of_sentences, in_characters

TEXT = "Ana Ruiz left Bergen. Tove Lind stayed."
ANA = {"id": 71, "start_offset": 0, "end_offset": 8, "label": "PER"}
BERGEN = {"id": 70, "start_offset": 14, "end_offset": 20, "label": "LOC"}
TOVE = {"id": 72, "start_offset": 22, "end_offset": 31, "label": "PER"}


def file_of(tmp_path: Path, *records: object) -> Path:
    path = tmp_path / "export.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def read(path: Path, split: bool = True) -> tuple[list[Sentence], dict[str, int]]:
    report = Report()
    found = list(doccano.read(path, report, split=split))
    return found, {kind: finding.count for kind, finding in report.findings.items()}


def labelled(sentence: Sentence) -> list[tuple[str, str]]:
    return [(e.type, sentence.entity_text(index)) for index, e in enumerate(sentence.entities)]


def error_of(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        list(doccano.read(path, Report()))
    return str(caught.value)


def test_reads_the_sample_exactly(samples: Path) -> None:
    lines = (samples / "news.jsonl").read_text("utf-8").splitlines()
    expected = [Sentence.from_dict(json.loads(line)) for line in lines]
    assert read(samples / "news.doccano.jsonl") == (expected, {})


@given(documents_of_sentences())
def test_ids_texts_entities_and_relations_round_trip(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[Sentence]
) -> None:
    path = tmp_path_factory.mktemp("doccano") / "out.jsonl"
    report = Report()
    doccano.write(path, sentences, report)
    assert in_characters(doccano.read(path, report, split=False)) == in_characters(sentences)
    assert report.findings.keys() <= {CUT_ANEW}


def test_an_export_with_relations_is_read(tmp_path: Path) -> None:
    relation = {"id": 5, "from_id": 71, "to_id": 70, "type": "left"}
    record = {"id": 3, "text": TEXT, "entities": [BERGEN, ANA, TOVE], "relations": [relation], "Comments": []}
    (first, second), notes = read(file_of(tmp_path, record))
    assert (first.id, first.document) == ("3:0", "3")
    assert labelled(first) == [("LOC", "Bergen"), ("PER", "Ana Ruiz")]
    assert first.relations == (Relation("left", 1, 0),)
    assert labelled(second) == [("PER", "Tove Lind")]
    assert notes == {}


@pytest.mark.parametrize("text_field", ["text", "data"])
@pytest.mark.parametrize("entity_field", ["label", "labels"])
def test_an_export_without_relations_is_read(tmp_path: Path, text_field: str, entity_field: str) -> None:
    record = {"id": 3, text_field: TEXT, entity_field: [[0, 8, "PER"], [22, 31, "PER"]]}
    (first, second), notes = read(file_of(tmp_path, record))
    assert labelled(first) + labelled(second) == [("PER", "Ana Ruiz"), ("PER", "Tove Lind")]
    assert notes == {}


def test_a_text_without_annotation_is_read(tmp_path: Path) -> None:
    (only,), notes = read(file_of(tmp_path, {"text": "Ana left."}))
    assert (only.id, only.entities, notes) == ("export-1", (), {})


def test_an_id_used_twice_gets_the_record_number_and_is_reported(tmp_path: Path) -> None:
    found, notes = read(file_of(tmp_path, {"id": 1, "text": "Ana left."}, {"id": 1, "text": "Bo left."}))
    assert [s.document for s in found] == ["1", "1-2"]
    assert notes == {"document id used twice: the record's number added": 1}


def test_comments_and_metadata_are_reported(tmp_path: Path) -> None:
    _, notes = read(
        file_of(tmp_path, {"text": "Ana left.", "Comments": ["sure?"], "source": "wire", "x": None})
    )
    assert notes == {"field 'Comments' not carried over": 1, "field 'source' not carried over": 1}


def test_a_cut_token_is_widened_and_reported_with_its_place(tmp_path: Path) -> None:
    path = file_of(tmp_path, {"text": "Ana left.", "label": [[0, 2, "PER"]]})
    report = Report()
    [only] = doccano.read(path, report)
    assert labelled(only) == [("PER", "Ana")]
    assert str(report) == f"1 x entity widened to whole tokens (e.g. {path}:1: label[0])"


def test_sentences_are_joined_where_an_entity_crosses_them(tmp_path: Path) -> None:
    (only,), notes = read(file_of(tmp_path, {"text": TEXT, "label": [[14, 26, "LOC"]]}))
    assert labelled(only) == [("LOC", "Bergen. Tove")]
    assert notes == {"entity crosses a sentence border: sentences joined": 1}


def test_relations_across_sentences_are_left_out_unless_the_text_is_kept_whole(tmp_path: Path) -> None:
    relation = {"id": 1, "from_id": 71, "to_id": 72, "type": "knows"}
    path = file_of(tmp_path, {"text": TEXT, "entities": [ANA, TOVE], "relations": [relation]})
    found, notes = read(path)
    assert [s.relations for s in found] == [(), ()]
    assert notes == {ACROSS_SENTENCES: 1}
    (only,), notes = read(path, split=False)
    assert (only.relations, notes) == ((Relation("knows", 0, 1),), {})


def test_offsets_count_both_characters_of_a_windows_line_end(tmp_path: Path) -> None:
    (only,), notes = read(file_of(tmp_path, {"text": "Left\r\nBergen.\r\n", "label": [[6, 12, "LOC"]]}))
    assert (only.text, labelled(only), notes) == ("Left\r\nBergen.\r\n", [("LOC", "Bergen")], {})


def test_offsets_count_an_emoji_as_one_character(tmp_path: Path) -> None:
    (only,), notes = read(file_of(tmp_path, {"text": "😀 Ana left.", "label": [[2, 5, "PER"]]}))
    assert (labelled(only), notes) == ([("PER", "Ana")], {})


@pytest.mark.parametrize(
    ("text", "start", "end", "covered"),
    [
        ("😀 Ana.", 3, 6, "Ana"),  # as it stands it would begin inside a word
        ("😀 a b c.", 5, 6, "b"),  # as it stands it would be white space
        ("😀 Ana", 3, 6, "Ana"),  # as it stands it would leave the text
    ],
)
def test_an_emoji_counted_as_two_is_seen_and_reported(
    tmp_path: Path, text: str, start: int, end: int, covered: str
) -> None:
    (only,), notes = read(file_of(tmp_path, {"text": text, "label": [[start, end, "X"]]}))
    assert labelled(only) == [("X", covered)]
    assert notes == {"offsets counted in UTF-16 units: changed to characters": 1}


@pytest.mark.parametrize(
    ("record", "place", "message"),
    [
        ({"label": []}, "text", "has no text (a line is {"),
        ({"text": 5}, "text", "has no text (a line is {"),
        ({"text": TEXT, "label": "PER"}, "label", "must be a list, not 'PER' (a line is {"),
        ({"text": TEXT, "entities": None}, "entities", "must be a list, not missing (a line is {"),
        ({"text": TEXT, "relations": [7]}, "relations[0]", "must be of type dict, not 7 (a line is {"),
        (
            {"text": TEXT, "label": ["good"]},
            "label[0]",
            "not an entity: 'good' (write [start, end, label], or",
        ),
        (
            {"text": TEXT, "label": [[0, 8]]},
            "label[0]",
            "not an entity: [0, 8] (write [start, end, label], or",
        ),
        (
            {"text": TEXT, "label": [[8, 0, "PER"]]},
            "label[0]",
            "entity span 8..0 is empty or reversed (correct",
        ),
        (
            {"text": TEXT, "label": [[-2, 4, "PER"]]},
            "label[0]",
            "entity span -2..4 leaves the text of 39 cha",
        ),
        (
            {"text": TEXT, "label": [[0, 40, "PER"]]},
            "label[0]",
            "entity span 0..40 leaves the text of 39 cha",
        ),
        (
            {"text": TEXT, "label": [[0, 8, 3]]},
            "label[0]",
            "entity type must be a non-empty string, not 3 (give",
        ),
        (
            {"text": TEXT, "entities": [{"id": 1}]},
            "entities[0]",
            "entity type must be a non-empty string, not N",
        ),
        (
            {"text": TEXT, "entities": [{**ANA, "end_offset": "8"}]},
            "entities[0]",
            "entity offsets must be whole numbers, not 0 and '8' (offsets count characters from 0",
        ),
        ({"text": TEXT, "entities": [ANA, ANA]}, "entities[1]", "the entity id 71 is used twice (give every"),
        (
            {"text": TEXT, "entities": [ANA], "relations": [{"from_id": 71, "to_id": 9, "type": "x"}]},
            "relations[0]",
            "relation x names the entity 9, which is not there (add that entity or remove the relation)",
        ),
        (
            {"text": TEXT, "entities": [ANA, TOVE], "relations": [{"from_id": 71, "to_id": 72}]},
            "relations[0]",
            "relation type must be a non-empty string, not None (give it a type)",
        ),
    ],
)
def test_a_broken_record_is_an_error_with_file_line_and_remedy(
    tmp_path: Path, record: object, place: str, message: str
) -> None:
    path = file_of(tmp_path, {"text": "Ana left."}, record)
    assert error_of(path).startswith(f"{path}:2: {place}: {message}")


def test_truncated_json_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl"
    path.write_text('{"text": "Ana left."}\n{"text": "Bo le', "utf-8")
    assert error_of(path).startswith(f"{path}:2: broken JSON")


def test_a_file_that_is_not_utf8_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.jsonl"
    path.write_bytes(b'{"text": "Ana"}\n{"text": "Ren\xe9e"}\n')
    assert error_of(path).startswith(f"{path}:2: byte 0xe9 is not UTF-8 (convert")


def test_a_missing_file_and_a_folder_are_errors(tmp_path: Path) -> None:
    assert error_of(tmp_path / "none.jsonl").endswith("none.jsonl: no such file (check the path)")
    assert error_of(tmp_path) == f"{tmp_path}: is a folder, a file is needed here (name a file inside it)"


def test_what_is_written_is_what_doccano_exports(tmp_path: Path) -> None:
    sentence = Sentence(
        ["Ana", "left"], [Entity(0, 1, "A"), Entity(1, 2, "B")], [Relation("R", 1, 0)], id="x"
    )
    path = tmp_path / "out.jsonl"
    doccano.write(path, [sentence], Report())
    assert json.loads(path.read_text("utf-8")) == {
        "id": "x",
        "text": "Ana left\n",
        "entities": [
            {"id": 1, "start_offset": 0, "end_offset": 3, "label": "A"},
            {"id": 2, "start_offset": 4, "end_offset": 8, "label": "B"},
        ],
        "relations": [{"id": 1, "from_id": 2, "to_id": 1, "type": "R"}],
    }


def test_scores_are_reported_as_lost(tmp_path: Path) -> None:
    report = Report()
    doccano.write(tmp_path / "out.jsonl", [Sentence(["Ana"], [Entity(0, 1, "Peop", 0.5)], id="x")], report)
    assert str(report) == "1 x scores not carried over (e.g. x)"


@pytest.mark.parametrize(
    "record",
    [
        {"text": TEXT, "entities": [ANA], "relations": []},
        {"text": TEXT, "label": [[0, 8, "PER"]]},
        {"data": TEXT, "label": []},
        {"data": TEXT, "entities": []},
        {"text": TEXT, "entities": [], "relations": [], "Comments": []},
    ],
)
def test_its_records_are_recognised(tmp_path: Path, record: object) -> None:
    assert doccano.recognises(Sample.of(file_of(tmp_path, record)))


@pytest.mark.parametrize(
    "record",
    [
        {"text": TEXT},
        {"text": TEXT, "entities": [], "relations": []},
        {"text": TEXT, "label": ["good"]},
        {"text": TEXT, "tokens": ["Ana"], "entities": []},
        {"text": TEXT, "sentences": [], "entities": []},
        {"text": TEXT, "entities": [{"start": 0, "end": 8, "type": "PER"}]},
        {"text": TEXT, "label": [{"start": 0, "end": 8, "labels": ["PER"]}]},
        {"data": {"text": TEXT}, "annotations": []},
    ],
)
def test_records_of_other_formats_are_not_recognised(tmp_path: Path, record: object) -> None:
    assert not doccano.recognises(Sample.of(file_of(tmp_path, record)))


def test_samples_of_other_formats_are_not_recognised(samples: Path) -> None:
    assert doccano.recognises(Sample.of(samples / "news.doccano.jsonl"))
    others = [path for path in samples.iterdir() if path.name != "news.doccano.jsonl"]
    assert len(others) > 1
    assert not any(doccano.recognises(Sample.of(path)) for path in others)


def test_labels_of_a_machine_carry_scores_and_its_version(tmp_path: Path) -> None:
    sentence = Sentence(
        ["Ana", "Ruiz"],
        [Entity(0, 1, "Peop", 0.5), Entity(1, 2, "Loc")],
        [Relation("In", 0, 1, 0.75)],
        id="x",
    )
    report = Report()
    doccano.write(tmp_path / "out.jsonl", [sentence], report, by=Machine("news 1a"))
    assert not report
    assert json.loads((tmp_path / "out.jsonl").read_text("utf-8")) == {
        "id": "x",
        "text": "Ana Ruiz\n",
        "model": "news 1a",
        "entities": [
            {"id": 1, "start_offset": 0, "end_offset": 3, "label": "Peop", "score": 0.5},
            {"id": 2, "start_offset": 4, "end_offset": 8, "label": "Loc"},
        ],
        "relations": [{"id": 1, "from_id": 1, "to_id": 2, "type": "In", "score": 0.75}],
    }
