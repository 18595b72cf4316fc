from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.errors import DataError
from biaffinity.formats import records
from biaffinity.formats.piecewise import with_errors
from biaffinity.formats.records import each_record, json_records, note_fields, writing_array
from biaffinity.formats.report import Report

KEYS = st.text(max_size=3)
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)
)
RECORDS = st.lists(st.dictionaries(KEYS, VALUES, max_size=3), max_size=5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("records")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "x.json"


def values(path: Path) -> list[dict[str, object]]:
    return [record for _, record in json_records(path)]


@given(expected=RECORDS, indent=st.sampled_from([None, 0, 2]), chunk=st.integers(1, 40))
def test_an_array_reads_as_json_loads_reads_it_however_it_is_cut(folder, expected, indent, chunk):
    path = folder / "array.json"
    path.write_text(json.dumps(expected, indent=indent, ensure_ascii=chunk % 2 == 0), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "CHUNK", chunk)
        assert values(path) == expected


@given(expected=RECORDS)
def test_lines_read_as_json_loads_reads_each(folder, expected):
    path = folder / "lines.jsonl"
    path.write_text("".join(json.dumps(record) + "\n\n" for record in expected))
    assert values(path) == expected


@given(expected=RECORDS, chunk=st.integers(1, 40))
def test_objects_over_several_lines_read_as_json_loads_reads_each(folder, expected, chunk):
    expected = [{"first": 1, **record} for record in expected]
    path = folder / "set-out.json"
    path.write_text("".join(json.dumps(record, indent=2) + "\n" for record in expected))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "CHUNK", chunk)
        assert values(path) == expected


@given(expected=RECORDS)
def test_a_written_array_reads_back(folder, expected):
    path = folder / "written.json"
    with writing_array(path) as add:
        for record in expected:
            add(record)
    assert json.loads(path.read_text(encoding="utf-8")) == expected


@given(expected=RECORDS.filter(bool), data=st.data(), chunk=st.integers(1, 40))
def test_an_array_cut_short_anywhere_is_an_error_with_its_line(folder, expected, data, chunk):
    path = folder / "cut.json"
    whole = json.dumps(expected, indent=0)
    path.write_text(whole[: data.draw(st.integers(1, len(whole) - 1))])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "CHUNK", chunk)
        with pytest.raises(DataError) as error:
            values(path)
    assert error.value.where is not None
    assert error.value.where.startswith(f"{path}:")


def test_places_of_lines_are_their_numbers(file):
    file.write_text('{"a": 1}\n\n{"a": 2}\n')
    assert [where for where, _ in json_records(file)] == [f"{file}:1", f"{file}:3"]


def test_places_in_an_array_are_line_and_index(file):
    file.write_text('[{"a": 1}, {"a":\n2},\n\n{"a": 3}]')
    assert [where for where, _ in json_records(file)] == [
        f"{file}:1: [0]",
        f"{file}:1: [1]",
        f"{file}:4: [2]",
    ]


def test_places_of_objects_over_several_lines_are_where_they_begin(file):
    file.write_text('\n{\n"a": 1\n}\n\n{\n"a": 2\n}\n')
    assert [where for where, _ in json_records(file)] == [f"{file}:2", f"{file}:6"]


def test_a_byte_order_mark_is_skipped(file):
    file.write_bytes(b'\xef\xbb\xbf[{"a": 1}]')
    assert values(file) == [{"a": 1}]


def test_an_empty_file_has_no_records(file):
    file.write_text(" \n")
    assert values(file) == []


def test_an_array_is_not_read_ahead_of_its_records(file, monkeypatch):
    monkeypatch.setattr(records, "CHUNK", 10)
    file.write_text('[{"a": 1}, {"a": 2}, {"a": ' + " " * 100 + "broken")
    stream = json_records(file)
    assert [next(stream)[1], next(stream)[1]] == [{"a": 1}, {"a": 2}]
    with pytest.raises(DataError):
        next(stream)


def test_an_object_longer_than_many_chunks_is_decoded_few_times(file, monkeypatch):
    monkeypatch.setattr(records, "CHUNK", 10)
    decoded = []

    class Counting(json.JSONDecoder):
        def raw_decode(self, s: str, idx: int = 0) -> tuple[object, int]:
            decoded.append(len(s))
            return super().raw_decode(s, idx)

    monkeypatch.setattr(records, "_DECODER", Counting())
    file.write_text(json.dumps([{"a": list(range(10_000))}]))
    assert len(values(file)) == 1
    assert sum(decoded) < 4 * file.stat().st_size


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('{"a": 1}\n{"a": \n', 2, "broken JSON"),
        ('{"a": 1}\n{"a": 1} x\n', 2, "Extra data"),
        ('{"a": 1}\n[1]\n', 2, "not a JSON object"),
        ('{"a": NaN}\n', 1, "NaN is not a JSON value"),
        ('{"a": ' + "1" * 5000 + "}\n", 1, "digits"),
        ('{"a": ' + "[" * 100_000 + "\n", 1, "nested too deep"),
        ('{"a": "\\ud83d"}\n', 1, r"\ud83d is half a character"),
        ('[{"a": 1}\n{"a": 2}]', 2, ", or ] is missing, there is {"),
        ('[{"a": 1},\n]', 2, "a JSON object is missing, there is ]"),
        ('[{"a": 1},\n7]', 2, "a JSON object is missing, there is 7"),
        ('[{"a": 1},\n{"a": -Infinity}]', 2, "-Infinity is not a JSON value"),
        ('[{"a": 1}]\n[', 2, "after the end"),
        ('[{"a": 1},\n{"a": "x\n"}]', 2, "Invalid control character"),
        ('[\n{"a": "\\uDC00"}]', 2, r"\udc00 is half a character"),
        ("[", 1, "the end of the file"),
        ('{\n"a": 1,\n', 3, "broken JSON"),
        ('{\n"a": 1\n}\n[\n', 4, "a JSON object is missing, there is ["),
    ],
)
def test_what_is_not_json_is_one_line_with_its_place(file, text, line, words):
    file.write_text(text)
    with pytest.raises(DataError) as error:
        values(file)
    assert str(error.value).startswith(f"{file}:{line}: ")
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    assert error.value.remedy


@pytest.mark.parametrize("start", [b'{"a": 1}\n', b'[{"a": 1},\n'])
def test_bytes_that_are_not_utf8_have_their_line(file, start):
    file.write_bytes(start + b'{"a": "\xe9"}')
    with pytest.raises(DataError, match=rf"{file.name}:2: byte 0xe9 is not UTF-8"):
        values(file)


def test_lines_after_a_broken_one_are_read(file):
    file.write_text('{"a": 1}\n{"a": \n[7]\n\n{"a": 5}\n')
    found = list(with_errors(json_records(file)))
    assert found[0] == (f"{file}:1", {"a": 1})
    assert [str(error).split(": ")[0] for error in found[1:3]] == [f"{file}:2", f"{file}:3"]
    assert found[3:] == [(f"{file}:5", {"a": 5})]


def test_broken_json_ends_an_array(file):
    file.write_text('[{"a": 1},\n{"a": ,\n{"a": 3}]')
    first, error = with_errors(json_records(file))
    assert first == (f"{file}:1: [0]", {"a": 1})
    assert str(error).startswith(f"{file}:2: [1]: broken JSON")


def test_each_object_is_read_with_its_place_and_number_after_an_error_too(file):
    file.write_text('[{"a": 1}, {"a": 0}, {"a": 2}]')

    def read(record, where, number):
        if not record["a"]:
            raise DataError("is nothing", where=where)
        return [(record["a"], where, number)] * record["a"]

    first, error, *rest = with_errors(each_record(file, read))
    assert first == (1, f"{file}:1: [0]", 1)
    assert str(error) == f"{file}:1: [1]: is nothing"
    assert rest == [(2, f"{file}:1: [2]", 3)] * 2


def test_an_array_that_fails_to_be_written_leaves_the_old_file(file):
    file.write_text("old")
    with pytest.raises(ZeroDivisionError), writing_array(file) as add:
        add({"a": 1 / 0})
    assert file.read_text() == "old"
    assert list(file.parent.iterdir()) == [file]


def test_unknown_fields_are_reported_unless_empty():
    report = Report()
    note_fields({"a": 1, "b": 2, "c": [], "d": False}, frozenset("a"), "x:1", report)
    assert list(report.lines()) == [
        "1 x field 'b' not carried over (e.g. x:1)",
        "1 x field 'd' not carried over (e.g. x:1)",
    ]
