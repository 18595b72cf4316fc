from __future__ import annotations

import json
from pathlib import Path

import pytest

from biaffinity.annotation import Document, Entity, Sentence
from biaffinity.errors import DataError, UsageError
from biaffinity.formats import detect, detection
from biaffinity.formats.detection import Sample

ANNA = Sentence(["Anna", "left"], [Entity(0, 1, "Peop")]).with_text()


@pytest.fixture
def sample(tmp_path):
    def sample(text: str) -> Sample:
        (tmp_path / "x").write_text(text)
        return Sample.of(tmp_path / "x")

    return sample


def test_a_folder_has_no_text(tmp_path):
    assert Sample.of(tmp_path) == Sample(tmp_path, is_folder=True)


def test_lines_and_an_array_give_their_record(sample):
    assert (sample('{"a": 1}\n').record, sample('{"a": 1}\n').is_array) == ({"a": 1}, False)
    assert (sample(' [ {"a": 1}]').record, sample(' [ {"a": 1}]').is_array) == ({"a": 1}, True)


def test_the_record_is_the_fullest_of_the_first(sample):
    records = [{"a": [], "b": 1}, {"a": [1], "b": 1}, {"a": [2], "b": 2}]
    assert sample(json.dumps(records)).record == {"a": [1], "b": 1}


def test_a_record_longer_than_the_sample_is_still_whole(sample):
    long = {"tokens": ["x"] * 50_000}
    seen = sample(json.dumps([long] * 3))
    assert seen.record == long
    assert len(seen.text) == detection.SAMPLE_BYTES


@pytest.mark.parametrize("text", ["[ O\n] O\n", "{ B-X\n", "[1, 2]", "(\tO\n"])
def test_a_bracket_alone_does_not_make_json(sample, text):
    assert sample(text).record is None


def test_broken_json_is_an_error_with_its_line_and_not_an_unknown_format(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('\n{"tokens": ["a"\n{"tokens": ["b"')
    with pytest.raises(DataError, match=r"x.jsonl:2: broken JSON"):
        detect(path)


@pytest.mark.parametrize("text", ['{"tokens\n{"tokens": ["a"]}\n', '{"tokens": ["a"]}\n{"tokens": ["b"'])
def test_a_record_that_can_be_read_tells_the_format_beside_one_that_cannot(tmp_path, text):
    path = tmp_path / "x"
    path.write_text(text)
    assert detect(path) == "jsonl"


def test_a_file_that_may_not_be_read_is_an_error(tmp_path, monkeypatch):
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "x"
    path.touch()
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match="x: cannot be read: Permission denied"):
        Sample.of(path)


def test_lines_are_whole_ones_and_not_blank(sample, monkeypatch):
    monkeypatch.setattr(detection, "SAMPLE_BYTES", 10)
    assert sample("ab\n\ncd\nefgh\n").lines == ["ab", "cd"]
    assert sample("ab\n\ncd").lines == ["ab", "cd"]


@pytest.mark.parametrize(
    ("text", "is_blank"), [("", True), (" \n", True), ("[]", True), ("{}", False), ("a", False)]
)
def test_what_is_blank(sample, text, is_blank):
    assert sample(text).is_blank == is_blank


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ('{"tokens": ["a"]}', "jsonl"),
        ('{"text": "a"}', "jsonl"),
        (Document([ANNA]).to_json(), "jsonl"),
        (Document([ANNA]).to_json(tokens=False), "jsonl"),
        (f"[{Document([ANNA]).to_json()}]", "jsonl"),
        (f"[{Document([ANNA]).to_json(tokens=False)}]", "jsonl"),
        (json.dumps(Document([ANNA]).to_dict(tokens=False), indent=2), "jsonl"),
        (Document([]).to_json(tokens=False), "jsonl"),
        (f"[{Document([]).to_json(tokens=False)}]", "jsonl"),
        ('{"text": "a b", "entities": [{"start": 0, "end": 1, "type": "X", "text": "a"}]}', "jsonl"),
        ('[{"tokens": ["a"], "entities": [], "relations": []}]', "spert"),
        ('{"doc_key": "d", "sentences": [["a"]], "ner": [[]], "relations": [[]]}', "dygie"),
        ('{"clusters": [], "sentences": [["a"]], "ner": [[]], "relations": [[]], "doc_key": "d"}', "dygie"),
        ('{"id": 1, "text": "a", "label": [[0, 1, "X"]]}', "doccano"),
        ('{"id": 1, "text": "a", "label": []}', "doccano"),
        ('[{"id": 1, "text": "a b", "ner": [{"start": 0, "end": 1, "labels": ["X"]}]}]', "labelstudio"),
        ("#doc 5\n0\ta\tO\t['N']\t[0]", "multihead"),
        ("0\tO\t0\tO\tDT\tThe\tO\tO\tO\n\n\n", "corp"),
        ("a\tO\nb\tO", "conll"),
        ("a NN B-NP O\nb NN I-NP B-X\n", "conll"),
        ("a S-X\n", "conll"),
    ],
)
def test_one_line_is_enough_to_tell(tmp_path, line, kind):
    path = tmp_path / "x"
    path.write_text(line + "\n")
    assert detect(path) == kind


BARE = {"id": "1", "text": "Anna left", "entities": [], "relations": []}


@pytest.mark.parametrize(
    ("entity", "kind"),
    [
        ({"id": 1, "start_offset": 0, "end_offset": 4, "label": "Peop"}, "doccano"),
        ({"text": "Anna", "type": "Peop", "start_char": 0, "end_char": 4}, "jsonl"),
    ],
)
def test_annotation_after_many_texts_without_any_still_tells(tmp_path, entity, kind):
    records = [BARE] * 2 * detection.SAMPLE_RECORDS + [{**BARE, "entities": [entity]}]
    path = tmp_path / "x"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert detect(path) == kind


def test_many_texts_without_annotation_are_ours(tmp_path):
    path = tmp_path / "x"
    path.write_text((json.dumps(BARE) + "\n") * 2 * detection.SAMPLE_RECORDS)
    assert detect(path) == "jsonl"


def test_what_may_be_two_formats_is_an_error_that_asks(tmp_path):
    path = tmp_path / "x"
    path.write_text('{"id": 1, "text": "a b", "ner": [{"start": 0, "end": 1, "labels": ["X"]}]}\n')
    with pytest.raises(UsageError, match=r"may be jsonl or labelstudio \(say which format it is: --from"):
        detect(path)
