from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from biaffinity import formats
from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.errors import DataError
from biaffinity.formats import labelstudio
from biaffinity.formats.alignment import ACROSS_SENTENCES
from biaffinity.formats.detection import Sample
from biaffinity.formats.machine import Machine
from biaffinity.formats.report import Report
from characters import CUT_ANEW, documents_of_sentences, in_characters

TEXT = "Ana Ruiz left Bergen. Tove Lind stayed."


def region(id_: str, start: int, end: int, *labels: str, **value: object) -> dict[str, Any]:
    value = {"start": start, "end": end, "labels": list(labels), **value}
    return {"id": id_, "type": "labels", "from_name": "ner", "to_name": "body", "value": value}


def relation(head: str, tail: str, *labels: str, direction: str = "right") -> dict[str, Any]:
    ends = {"from_id": head, "to_id": tail, "direction": direction}
    return {"type": "relation", **ends, "labels": list(labels)}


def task(*result: object, text: str = TEXT, **fields: object) -> dict[str, Any]:
    annotation = {"id": 900, "completed_by": 1, "result": list(result), "was_cancelled": False}
    return {"id": 7, "data": {"body": text}, "annotations": [annotation], "predictions": [], **fields}


ANA = region("a", 0, 8, "PER", text="Ana Ruiz")
BERGEN = region("b", 14, 20, "LOC", text="Bergen")
TOVE = region("t", 22, 31, "PER")


def file_of(tmp_path: Path, *tasks: object) -> Path:
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks, indent=1), "utf-8")
    return path


def read(path: Path, split: bool = True) -> tuple[list[Sentence], dict[str, int]]:
    report = Report()
    found = list(labelstudio.read(path, report, split=split))
    return found, {kind: finding.count for kind, finding in report.findings.items()}


def labelled(sentence: Sentence) -> list[tuple[str, str]]:
    return [(e.type, sentence.entity_text(index)) for index, e in enumerate(sentence.entities)]


def error_of(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        list(labelstudio.read(path, Report()))
    return str(caught.value)


def test_reads_the_sample_exactly(samples: Path) -> None:
    lines = (samples / "news.jsonl").read_text("utf-8").splitlines()
    expected = [Sentence.from_dict(json.loads(line)) for line in lines]
    assert read(samples / "news.labelstudio.json") == (expected, {})


@given(documents_of_sentences())
def test_ids_texts_entities_and_relations_round_trip(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[Sentence]
) -> None:
    path = tmp_path_factory.mktemp("labelstudio") / "out.json"
    report = Report()
    labelstudio.write(path, sentences, report)
    assert in_characters(labelstudio.read(path, report, split=False)) == in_characters(sentences)
    assert report.findings.keys() <= {CUT_ANEW}


def test_regions_and_relations_of_an_export_are_read(tmp_path: Path) -> None:
    (first, second), notes = read(file_of(tmp_path, task(relation("a", "b", "left"), BERGEN, ANA, TOVE)))
    assert (first.id, first.document) == ("7:0", "7")
    assert labelled(first) == [("LOC", "Bergen"), ("PER", "Ana Ruiz")]
    assert first.relations == (Relation("left", 1, 0),)
    assert labelled(second) == [("PER", "Tove Lind")]
    assert notes == {}


def test_very_old_exports_are_read(tmp_path: Path) -> None:
    old = {"id": 1, "data": {"text": TEXT}, "completions": [{"skipped": True}, {"result": [ANA]}]}
    (first, _), notes = read(file_of(tmp_path, old))
    assert labelled(first) == [("PER", "Ana Ruiz")]
    assert notes == {"cancelled annotation left out": 1}


def test_minimal_json_is_read(tmp_path: Path) -> None:
    minimal = {
        "id": 12,
        "body": TEXT,
        "ner": [{"start": 0, "end": 8, "text": "Ana Ruiz", "labels": ["PER"]}],
        "annotator": 1,
        "annotation_id": 4,
        "created_at": "2021-03-09T22:16:08Z",
        "updated_at": "2021-03-09T22:16:08Z",
        "lead_time": 4.2,
    }
    (first, _), notes = read(file_of(tmp_path, minimal))
    assert (first.document, labelled(first)) == ("12", [("PER", "Ana Ruiz")])
    assert notes == {}


@pytest.mark.parametrize(
    ("direction", "expected"),
    [
        ("right", (Relation("x", 0, 1),)),
        ("left", (Relation("x", 1, 0),)),
        ("bi", (Relation("x", 0, 1), Relation("x", 1, 0))),
    ],
)
def test_the_direction_of_a_relation_is_followed(
    tmp_path: Path, direction: str, expected: tuple[Relation, ...]
) -> None:
    arrow = relation("a", "b", "x", direction=direction)
    (first, _), notes = read(file_of(tmp_path, task(ANA, BERGEN, arrow)))
    assert first.relations == expected
    assert notes == ({"relation in both directions: made two": 1} if direction == "bi" else {})


def test_every_label_of_a_relation_makes_one(tmp_path: Path) -> None:
    (first, _), notes = read(file_of(tmp_path, task(ANA, BERGEN, relation("a", "b", "x", "y"))))
    assert first.relations == (Relation("x", 0, 1), Relation("y", 0, 1))
    assert notes == {}


def test_a_relation_without_a_label_is_left_out_and_reported(tmp_path: Path) -> None:
    (first, _), notes = read(file_of(tmp_path, task(ANA, BERGEN, relation("a", "b"))))
    assert first.relations == ()
    assert notes == {"relation without a label left out": 1}


def test_a_region_with_several_labels_is_an_entity_for_each(tmp_path: Path) -> None:
    both = region("a", 0, 8, "PER", "BOSS")
    (first, _), notes = read(file_of(tmp_path, task(both, BERGEN, relation("a", "b", "x"))))
    assert labelled(first) == [("PER", "Ana Ruiz"), ("BOSS", "Ana Ruiz"), ("LOC", "Bergen")]
    assert first.relations == (Relation("x", 0, 2),)
    assert notes == {"region with several labels: one entity each, relations to the first": 1}


def test_a_region_labelled_by_two_controls_is_an_entity_for_each(tmp_path: Path) -> None:
    (first, _), notes = read(file_of(tmp_path, task(ANA, region("a", 0, 8, "BOSS"))))
    assert labelled(first) == [("PER", "Ana Ruiz"), ("BOSS", "Ana Ruiz")]
    assert notes == {"region with several labels: one entity each, relations to the first": 1}


def test_a_region_without_a_label_is_left_out_with_its_relations(tmp_path: Path) -> None:
    (first, _), notes = read(file_of(tmp_path, task(ANA, region("b", 14, 20), relation("a", "b", "x"))))
    assert (labelled(first), first.relations) == ([("PER", "Ana Ruiz")], ())
    assert notes == {
        "region without a label left out": 1,
        "relation to a region that was left out is left out too": 1,
    }


def test_results_that_are_not_text_spans_are_reported_by_type(tmp_path: Path) -> None:
    choice = {"id": "c", "type": "choices", "value": {"choices": ["news"]}}
    remark = {"id": "a", "type": "textarea", "value": {"start": 0, "end": 8, "text": ["sure"]}}
    (first, _), notes = read(file_of(tmp_path, task(choice, remark, ANA, BERGEN, relation("a", "b", "x"))))
    assert first.relations == (Relation("x", 0, 1),)
    assert notes == {"result of type 'choices' left out": 1, "result of type 'textarea' left out": 1}


def test_the_first_annotation_that_was_not_cancelled_counts(tmp_path: Path) -> None:
    annotations = [
        {"result": [BERGEN], "was_cancelled": True},
        {"result": [ANA], "was_cancelled": False},
        {"result": [TOVE]},
    ]
    found, notes = read(file_of(tmp_path, task(annotations=annotations)))
    assert [labelled(s) for s in found] == [[("PER", "Ana Ruiz")], []]
    assert notes == {"cancelled annotation left out": 1, "further annotation of a task left out": 1}


@pytest.mark.parametrize("annotations", [[], [{"result": [], "was_cancelled": True}]])
def test_a_task_without_annotation_is_read_and_reported(tmp_path: Path, annotations: list[object]) -> None:
    found, notes = read(file_of(tmp_path, task(annotations=annotations)))
    assert [s.entities for s in found] == [(), ()]
    assert notes["task without annotation: read without entities"] == 1


def test_predictions_and_other_data_are_reported(tmp_path: Path) -> None:
    data = {"text": TEXT, "id": "wire-5", "source": "wire"}
    (first, _), notes = read(file_of(tmp_path, task(ANA, data=data, predictions=[{"result": [TOVE]}])))
    assert first.document == "wire-5"
    assert notes == {"field 'source' not carried over": 1, "predictions left out": 1}


def test_the_id_among_the_data_is_not_taken_for_the_text(tmp_path: Path) -> None:
    (first, _), notes = read(file_of(tmp_path, task(ANA, data={"id": "wire-5", "body": TEXT})))
    assert (first.document, labelled(first), notes) == ("wire-5", [("PER", "Ana Ruiz")], {})


def test_a_text_that_differs_from_the_offsets_is_reported_and_the_offsets_followed(tmp_path: Path) -> None:
    (first, _), notes = read(file_of(tmp_path, task(region("a", 0, 8, "PER", text="Bo Ruiz"))))
    assert labelled(first) == [("PER", "Ana Ruiz")]
    assert notes == {"region's text differs from the task's: its offsets are followed": 1}


def test_a_line_end_may_be_shown_another_way(tmp_path: Path) -> None:
    shown = region("a", 0, 8, "PER", text="Ana\\nRuiz")
    (only,), notes = read(file_of(tmp_path, task(shown, text="Ana\nRuiz left.")))
    assert (labelled(only), notes) == ([("PER", "Ana\nRuiz")], {})


def test_a_cut_token_is_widened_and_reported_with_its_place(tmp_path: Path) -> None:
    path = file_of(tmp_path, task(region("a", 0, 7, "PER")))
    report = Report()
    first, _ = labelstudio.read(path, report)
    assert labelled(first) == [("PER", "Ana Ruiz")]
    place = f"{path}:2: [0]: annotations[0].result[0]"
    assert str(report) == f"1 x entity widened to whole tokens (e.g. {place})"


def test_sentences_are_joined_where_an_entity_crosses_them(tmp_path: Path) -> None:
    (only,), notes = read(file_of(tmp_path, task(region("a", 14, 26, "LOC"))))
    assert labelled(only) == [("LOC", "Bergen. Tove")]
    assert notes == {"entity crosses a sentence border: sentences joined": 1}


def test_relations_across_sentences_are_left_out_unless_the_text_is_kept_whole(tmp_path: Path) -> None:
    path = file_of(tmp_path, task(ANA, TOVE, relation("a", "t", "knows")))
    found, notes = read(path)
    assert [s.relations for s in found] == [(), ()]
    assert notes == {ACROSS_SENTENCES: 1}
    (only,), notes = read(path, split=False)
    assert (only.relations, notes) == ((Relation("knows", 0, 1),), {})


def test_offsets_count_both_characters_of_a_windows_line_end(tmp_path: Path) -> None:
    bergen = region("a", 6, 12, "LOC", text="Bergen")
    (only,), notes = read(file_of(tmp_path, task(bergen, text="Left\r\nBergen.\r\n")))
    assert (only.text, labelled(only), notes) == ("Left\r\nBergen.\r\n", [("LOC", "Bergen")], {})


def test_offsets_count_an_emoji_as_one_character(tmp_path: Path) -> None:
    (only,), notes = read(file_of(tmp_path, task(region("a", 2, 5, "PER", text="Ana"), text="😀 Ana left.")))
    assert (labelled(only), notes) == ([("PER", "Ana")], {})


def test_an_emoji_counted_as_two_is_seen_and_reported(tmp_path: Path) -> None:
    (only,), notes = read(file_of(tmp_path, task(region("a", 3, 6, "PER", text="Ana"), text="😀 Ana left.")))
    assert labelled(only) == [("PER", "Ana")]
    assert notes == {"offsets counted in UTF-16 units: changed to characters": 1}


@pytest.mark.parametrize(
    ("broken", "place", "message"),
    [
        (task(data={}), "data", "there is no text (a task is {"),
        ({"id": 1}, "data", "there is no text (a task is {"),
        (task(data={"a": "x", "b": "y"}), "data", 'which is the text: a, b? (name that field "text")'),
        (task(annotations={}), "annotations", "must be a list, not {} (a task is {"),
        (task(annotations=[3]), "annotations[0]", "must be of type dict, not 3 (a task is {"),
        (task(annotations=[{}]), "annotations[0]: result", "must be a list, not missing (a task is {"),
        (task(5), "annotations[0]: result[0]", "must be of type dict, not 5 (a task is {"),
        (
            task(region("a", 0, 8, "PER", labels="PER")),
            "annotations[0].result[0]: labels",
            "must be a list, not 'PER' (a task is {",
        ),
        (
            task(ANA, BERGEN, {**relation("a", "b"), "labels": [1]}),
            "annotations[0].result[2]: labels[0]",
            "must be of type str, not 1 (a task is {",
        ),
        (
            task(region("a", 8, 0, "PER")),
            "annotations[0].result[0]",
            "entity span 8..0 is empty or reversed (cor",
        ),
        (
            task(region("a", -1, 8, "PER")),
            "annotations[0].result[0]",
            "entity span -1..8 leaves the text of 39",
        ),
        (
            task(region("a", 0, 40, "PER")),
            "annotations[0].result[0]",
            "entity span 0..40 leaves the text of 39",
        ),
        (
            task(region("a", 0, 1.5, "PER", text="Ana")),
            "annotations[0].result[0]",
            "entity offsets must be whole numbers, not 0 and 1.5 (offsets count characters",
        ),
        (
            task(ANA, relation("a", "zz", "x")),
            "annotations[0].result[1]",
            "relation x names the entity 'zz', which is not there (add that entity or remove",
        ),
    ],
)
def test_a_broken_task_is_an_error_with_file_line_and_remedy(
    tmp_path: Path, broken: object, place: str, message: str
) -> None:
    path = tmp_path / "export.json"
    path.write_text(f"[{json.dumps(task(ANA))},\n{json.dumps(broken)}]", "utf-8")
    assert error_of(path).startswith(f"{path}:2: [1]: {place}: {message}")


def test_truncated_json_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_text(json.dumps([task(ANA)], indent=1)[:-40], "utf-8")
    assert error_of(path).startswith(f"{path}:")
    assert "broken JSON" in error_of(path)


def test_a_file_that_is_not_utf8_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.json"
    path.write_bytes(b'[\n{"data": {"text": "Ren\xe9e"}, "annotations": []}]')
    assert error_of(path).startswith(f"{path}:2: byte 0xe9 is not UTF-8 (convert")


def test_a_missing_file_and_a_folder_are_errors(tmp_path: Path) -> None:
    assert error_of(tmp_path / "none.json").endswith("none.json: no such file (check the path)")
    assert error_of(tmp_path) == f"{tmp_path}: is a folder, a file is needed here (name a file inside it)"


def test_what_is_written_is_what_label_studio_imports(tmp_path: Path) -> None:
    sentence = Sentence(
        ["Ana", "left"], [Entity(0, 1, "A"), Entity(1, 2, "B")], [Relation("R", 1, 0)], id="x"
    )
    path = tmp_path / "out.json"
    labelstudio.write(path, [sentence], Report())
    spans = {"from_name": "label", "to_name": "text", "type": "labels"}
    assert json.loads(path.read_text("utf-8")) == [
        {
            "id": 1,
            "data": {"text": "Ana left\n", "id": "x"},
            "annotations": [
                {
                    "was_cancelled": False,
                    "result": [
                        {
                            **spans,
                            "id": "e1",
                            "value": {"start": 0, "end": 3, "text": "Ana", "labels": ["A"]},
                        },
                        {
                            **spans,
                            "id": "e2",
                            "value": {"start": 4, "end": 8, "text": "left", "labels": ["B"]},
                        },
                        relation("e2", "e1", "R"),
                    ],
                }
            ],
        }
    ]


def test_scores_are_reported_as_lost(tmp_path: Path) -> None:
    report = Report()
    labelstudio.write(tmp_path / "out.json", [Sentence(["Ana"], [Entity(0, 1, "Peop", 0.5)], id="x")], report)
    assert str(report) == "1 x scores not carried over (e.g. x)"


@pytest.mark.parametrize(
    "record",
    [
        task(ANA),
        task(annotations=[]),
        {"data": {"text": TEXT}, "completions": []},
        {"data": {"text": TEXT}, "predictions": []},
        {"text": TEXT, "label": [{"start": 0, "end": 8, "labels": ["PER"]}]},
    ],
)
def test_its_tasks_are_recognised(tmp_path: Path, record: object) -> None:
    assert labelstudio.recognises(Sample.of(file_of(tmp_path, record)))


@pytest.mark.parametrize(
    "record",
    [
        {"text": TEXT, "label": [[0, 8, "PER"]]},
        {"data": TEXT, "annotations": []},
        {"tokens": ["Ana"], "entities": [{"start": 0, "end": 1, "type": "PER"}]},
    ],
)
def test_records_of_other_formats_are_not_recognised(tmp_path: Path, record: object) -> None:
    assert not labelstudio.recognises(Sample.of(file_of(tmp_path, record)))


def test_samples_of_other_formats_are_not_recognised(samples: Path) -> None:
    assert labelstudio.recognises(Sample.of(samples / "news.labelstudio.json"))
    others = [path for path in samples.iterdir() if path.name != "news.labelstudio.json"]
    assert len(others) > 1
    assert not any(labelstudio.recognises(Sample.of(path)) for path in others)


def test_labels_of_a_machine_are_predictions_with_scores_and_its_version(tmp_path: Path) -> None:
    entities = [Entity(0, 1, "Peop", 0.5), Entity(1, 2, "Loc", 1.0)]
    sentences = [
        Sentence(["Ana", "Ruiz"], entities, [Relation("In", 0, 1, 0.75)], id="x"),
        Sentence(["Rain"], id="y"),
    ]
    report = Report()
    labelstudio.write(tmp_path / "out.json", sentences, report, by=Machine("news 1a"))
    first, second = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert not report
    assert "annotations" not in first
    [prediction] = first["predictions"]
    assert (prediction["model_version"], prediction["score"]) == ("news 1a", 0.75)
    assert [item["score"] for item in prediction["result"]] == [0.5, 1.0, 0.75]
    assert second == {
        "id": 2,
        "data": {"text": "Rain\n", "id": "y"},
        "predictions": [{"model_version": "news 1a", "result": []}],
    }
    assert formats.detect(tmp_path / "out.json") == "labelstudio"
    assert [s.entities for s in labelstudio.read(tmp_path / "out.json", Report())] == [(), ()]
