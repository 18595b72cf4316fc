from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.bulk.readers import Fault, Fields, Text
from biaffinity.bulk.sources import Inputs
from biaffinity.errors import DataError, UsageError


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, content: str | bytes) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return name


def texts(inputs: Inputs) -> list[tuple[str, str]]:
    return [(item.id, item.text) for item in inputs if isinstance(item, Text)]


def faults(inputs: Inputs) -> list[str]:
    return [item.problem for item in inputs if isinstance(item, Fault)]


def give_stdin(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))


def test_what_is_no_file_is_a_text() -> None:
    assert texts(Inputs(["Ilka Roe left.", "", "Bo stayed in Ghent/Gent."])) == [
        ("1", "Ilka Roe left."),
        ("2", ""),
        ("3", "Bo stayed in Ghent/Gent."),
    ]


@pytest.mark.parametrize("text", ["x" * 5000, "a\0b", "\n", "etc.", "The notes/\nmore", "it is/was here."])
def test_what_cannot_be_a_path_is_a_text(text: str) -> None:
    assert texts(Inputs([text])) == [("1", text)]


@pytest.mark.parametrize("name", ["news.txt", "sub/news.JSONL", "./news", "/no/such", "a.json", "t.parquet"])
def test_what_looks_like_a_path_must_be_there(name: str) -> None:
    with pytest.raises(DataError, match="no such file"):
        Inputs([name])


@pytest.mark.parametrize("name", ["notes/", "notes/2024", "my notes/", "my notes.txt"])
def test_a_folder_that_is_not_there_is_no_text_either(name: str) -> None:
    with pytest.raises(DataError) as caught:
        Inputs([name])
    told = "no such file or folder (check the path; if it is a text to be read, say --text)"
    assert str(caught.value) == f"{name}: {told}"


def test_a_literal_input_is_a_text_whatever_it_looks_like() -> None:
    write("here.txt", "Ilka Roe left.")
    inputs = Inputs(["notes/", "here.txt", "-", "-"], literal=True)
    assert texts(inputs) == [("1", "notes/"), ("2", "here.txt"), ("3", "-"), ("4", "-")]
    assert inputs.size() == 16
    assert Inputs(["-"], literal=True, kind="lines").single


def test_a_plain_text_file_is_one_document_to_the_character() -> None:
    name = write("a.txt", "Ilka\r\nRoe\n\n left. ")
    assert texts(Inputs([name])) == [("a.txt", "Ilka\r\nRoe\n\n left. ")]


def test_a_byte_order_mark_is_no_part_of_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in (
        ("a.txt", "Bo"),
        ("a.jsonl", '{"text": "Bo"}'),
        ("a.csv", "text\nBo\n"),
    ):
        write(name, b"\xef\xbb\xbf" + content.encode())
        assert [text for _, text in texts(Inputs([name]))] == ["Bo"]
    give_stdin(b"\xef\xbb\xbfBo", monkeypatch)
    assert texts(Inputs(["-"])) == [("stdin", "Bo")]


def test_a_folder_gives_its_text_files_in_the_order_of_their_names() -> None:
    for name in ("f/b.txt", "f/a.txt", "f/z/c.TXT", "f/notes.md"):
        write(name, name)
    assert [text for _, text in texts(Inputs(["f"]))] == ["f/a.txt", "f/b.txt", "f/z/c.TXT"]


def test_a_folder_without_text_files_is_an_error() -> None:
    write("f/a.csv", "text\n")
    with pytest.raises(DataError, match=r"f: holds no \.txt file"):
        list(Inputs(["f"]))


def test_json_lines_have_their_ids_or_are_called_by_their_place() -> None:
    name = write("a.jsonl", '{"text": "Bo", "id": "x"}\n\n{"text": "Al", "id": 7}\r\n{"text": "Cy"}')
    assert texts(Inputs([name])) == [("x", "Bo"), ("7", "Al"), ("a.jsonl:4", "Cy")]


def test_the_fields_of_a_record_can_be_named() -> None:
    fields = Fields("body", "key")
    write("a.jsonl", '{"body": "Bo", "key": "x", "text": "no", "id": "no"}\n')
    write("a.csv", "key,text,body\nx,no,Bo\n")
    write("a.tsv", "key\tbody\nx\tBo\n")
    for name in ("a.jsonl", "a.csv", "a.tsv"):
        assert texts(Inputs([name], fields=fields)) == [("x", "Bo")]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"text": 3}', "text: must be a string, not int"),
        (b'{"text": null}', "text: must be a string, not null"),
        (b'{"other": "x"}', "text: is missing (--text-field names the field of the text)"),
        (b'{"text": "x", "id": [1]}', "id: must be a string, not [1]"),
        (b"[1]", "is not a JSON object (one JSON object per line is needed)"),
        (b'{"text": ', "broken JSON: Expecting value (one whole JSON object per line is needed)"),
        (
            b'{"text": "\xff"}',
            "byte 0xff is not UTF-8 (convert the file first, e.g. iconv -f latin1 -t utf-8)",
        ),
    ],
)
def test_a_wrong_line_is_a_fault_with_its_place_and_the_next_is_read(line: bytes, problem: str) -> None:
    name = write("a.jsonl", b'{"text": "Bo"}\n' + line + b'\n{"text": "Al"}\n')
    first, second, third = Inputs([name])
    assert isinstance(second, Fault)
    assert second.problem == f"a.jsonl:2: {problem}"
    assert isinstance(first, Text)
    assert isinstance(third, Text)
    assert third.where == "a.jsonl:3"


def test_a_number_or_nesting_beyond_all_bounds_is_a_fault() -> None:
    name = write("a.jsonl", '{"text": ' + "[" * 100_000 + "\n" + '{"text": ' + "9" * 10_000 + "}\n")
    assert len(faults(Inputs([name]))) == 2


def test_csv_rows_may_span_lines_and_a_wrong_one_is_a_fault() -> None:
    name = write("a.csv", b'id,text\n1,"Bo\nand ""Al"""\n\n2,\xff\n3\n4,Cy\n')
    assert texts(Inputs([name])) == [("1", 'Bo\nand "Al"'), ("4", "Cy")]
    assert [problem.split(" (")[0] for problem in faults(Inputs([name]))] == [
        "a.csv:5: byte 0xff is not UTF-8",
        "a.csv:6: text: is missing",
    ]


def test_a_long_field_of_csv_is_read() -> None:
    long = "Bo " * 100_000
    assert texts(Inputs([write("a.csv", f"text\n{long}\n")])) == [("a.csv:2", long)]


def test_a_column_that_is_not_there_is_an_error_with_those_that_are() -> None:
    name = write("a.csv", "id,body\n1,Bo\n")
    with pytest.raises(DataError, match=r"a.csv: has no column 'text' \(.*--text-field: id, body\)"):
        list(Inputs([name]))


def test_half_a_character_is_replaced_and_moves_no_offset() -> None:
    name = write("a.jsonl", r'{"text": "Bo \ud83d left", "id": "\udc00"}')
    assert texts(Inputs([name])) == [("\ufffd", "Bo \ufffd left")]


def test_a_text_file_that_is_not_utf8_is_a_fault() -> None:
    names = [write("a.txt", b"Bo\n\xff"), write("b.txt", "Al")]
    assert texts(Inputs(names)) == [("b.txt", "Al")]
    assert faults(Inputs(names))[0].startswith("a.txt:2: byte 0xff is not UTF-8")


@pytest.mark.parametrize(
    ("kind", "content", "expected"),
    [
        (None, b"Bo\nAl\n", [("stdin", "Bo\nAl\n")]),
        ("lines", b"Bo\r\n\nAl", [("stdin:1", "Bo"), ("stdin:3", "Al")]),
        ("jsonl", b'{"text": "Bo"}', [("stdin:1", "Bo")]),
        ("csv", b"text\nBo", [("stdin:2", "Bo")]),
    ],
)
def test_stdin_is_text_or_what_it_is_said_to_be(
    kind: str | None, content: bytes, expected: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    give_stdin(content, monkeypatch)
    assert texts(Inputs(["-"], kind=kind)) == expected


def test_a_kind_overrules_the_name() -> None:
    name = write("a.txt", "Bo\nAl\n")
    assert texts(Inputs([name], kind="lines")) == [("a.txt:1", "Bo"), ("a.txt:2", "Al")]


@pytest.mark.parametrize(
    ("names", "kind", "problem"),
    [
        (["x"], "xml", "unknown kind of input 'xml'"),
        (["-", "-"], None, "stdin can be read only once"),
        (["a.json"], None, "a.json: holds JSON, which is read only as JSON lines"),
    ],
)
def test_what_cannot_be_meant_is_wrong_use(names: list[str], kind: str | None, problem: str) -> None:
    write("a.json", "[]")
    with pytest.raises(UsageError, match=problem):
        Inputs(names, kind=kind)


@pytest.mark.parametrize(
    ("names", "kind", "single"),
    [
        (["Bo left."], None, True),
        (["a.txt"], None, True),
        (["-"], None, True),
        (["-"], "jsonl", False),
        (["a.txt"], "lines", False),
        (["a.jsonl"], None, False),
        (["f"], None, False),
        (["Bo left.", "Al stayed."], None, False),
    ],
)
def test_it_is_known_beforehand_whether_there_is_but_one_document(
    names: list[str], kind: str | None, single: bool
) -> None:
    for name in ("a.txt", "a.jsonl", "f/a.txt"):
        write(name, "{}")
    assert Inputs(names, kind=kind).single is single


def test_the_bytes_read_rise_to_the_size() -> None:
    names = [
        write("a.jsonl", '{"text": "Łódź"}\n{"text": 3}\n{"text": "Bo"}\n'),
        "Łódź, a text",
        write("f/a.txt", "Ö") and "f",
        write("a.csv", 'text\n"Ö\nx"\n'),
    ]
    inputs = Inputs(names)
    read = [item.read for item in inputs]
    assert read == sorted(read)
    assert read[-1] == inputs.size()


def test_nobody_knows_the_size_of_stdin() -> None:
    assert Inputs(["-"]).size() is None


@given(st.lists(st.text(st.characters(codec="utf-8"))))
def test_any_texts_come_back_from_json_lines(documents: list[str]) -> None:
    lines = "".join(json.dumps({"text": text, "id": str(n)}) + "\n" for n, text in enumerate(documents))
    name = write("any.jsonl", lines)
    assert texts(Inputs([name])) == [(str(n), text) for n, text in enumerate(documents)]


def test_parquet_is_read_by_columns_and_a_null_is_a_fault() -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra tables")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"id": [1, 2, 3], "text": ["Bo", None, "Al"], "other": [b"x", b"y", b"z"]})
    parquet.write_table(table, "a.parquet")
    inputs = Inputs(["a.parquet"])
    assert texts(inputs) == [("1", "Bo"), ("3", "Al")]
    assert faults(inputs) == ["a.parquet: row 2: text: must be a string, not null"]
    assert [item.read for item in inputs][-1] == inputs.size()


def test_what_is_no_parquet_is_an_error() -> None:
    pytest.importorskip("pyarrow", reason="needs the extra tables")
    with pytest.raises(DataError, match=r"a\.parquet: cannot be read as Parquet"):
        list(Inputs([write("a.parquet", "text")]))


def test_parquet_without_its_extra_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"biaffinity\[tables\]"):
        list(Inputs([write("a.parquet", "text")]))


def test_a_string_of_parquet_that_is_not_utf8_is_a_fault_of_its_row() -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra tables")
    parquet = pytest.importorskip("pyarrow.parquet")
    spoilt = pyarrow.array([b"Bo", b"caf\xe9", b"Al"]).cast(pyarrow.string(), safe=False)
    parquet.write_table(pyarrow.table({"text": spoilt, "id": ["1", "2", "3"]}), "a.parquet")
    inputs = Inputs(["a.parquet"])
    assert texts(inputs) == [("1", "Bo"), ("3", "Al")]
    assert faults(inputs) == ["a.parquet: row 2: byte 0xe9 is not UTF-8"]
