from __future__ import annotations

import json
from pathlib import Path

import pytest

from biaffinity.annotation import Document
from biaffinity.bulk.sinks import format_named
from biaffinity.bulk.sinks.json_lines import json_line
from bulk.sinks.example import DOCUMENT


@pytest.mark.parametrize("count", [0, 1, 3])
def test_json_of_many_is_an_array(count: int) -> None:
    whole = "".join(format_named("json").whole([json_line(DOCUMENT)] * count, False))
    assert json.loads(whole) == [json.loads(json_line(DOCUMENT))] * count


def test_json_of_one_is_an_object_over_several_lines() -> None:
    whole = "".join(format_named("json").whole([json_line(DOCUMENT)], True))
    assert json.loads(whole) == json.loads(json_line(DOCUMENT))
    assert whole.count("\n") > 10


@pytest.mark.parametrize("single", [True, False])
def test_json_is_made_of_a_file_of_records_just_as_of_records(tmp_path: Path, single: bool) -> None:
    out, records, line = tmp_path / "x.json", tmp_path / "records", json_line(DOCUMENT)
    lines = [line] if single else [line, json_line(Document([], id="\u2028\x85")), line]
    records.write_bytes("".join(lines).encode())
    form = format_named("json")
    assert form.finish is not None
    form.finish(records, out, single)
    assert out.read_bytes() == "".join(form.whole(lines, single)).encode()


def test_json_of_one_keeps_letters_and_indents_by_two() -> None:
    whole = "".join(format_named("json").whole([json_line(DOCUMENT)], True))
    assert whole.startswith('{\n  "id": "a,b",\n  "text": "Rain. Ilka \\"Roe left Łódź",\n')
    assert whole.endswith("\n}\n")


def test_json_of_many_has_an_object_per_line() -> None:
    whole = "".join(format_named("json").whole(["{}\n", '{"id": 1}\n'], False))
    assert whole == '[\n{},\n{"id": 1}\n]\n'
