from __future__ import annotations

import csv
import io
import json
import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity import formats
from biaffinity.annotation import Document, Entity, Relation, Sentence, documents
from biaffinity.bulk.sinks import NAMES, csv_rows, format_named, json_line, raw_csv_rows
from biaffinity.errors import MissingExtraError, UsageError
from extraction.texts import annotated_texts
from paragraph import PARAGRAPH, TRIPLES, triples
from strategies import whole_documents

with_tokens = partial(json_line, tokens=True)

DOCUMENT = Document(
    [
        Sentence(["Rain", "."], text="Rain. ", token_spans=[(0, 4), (4, 5)]),
        Sentence(
            ["Ilka", '"', "Roe", "left", "Łódź"],
            [Entity(0, 3, "Peop", 0.75), Entity(4, 5, "Loc", 0.5)],
            [Relation("Live_In", 0, 1, 0.25)],
            text='Ilka "Roe left Łódź',
            token_spans=[(0, 4), (5, 6), (6, 9), (10, 14), (15, 19)],
        ),
    ],
    id="a,b",
)


def test_a_json_line_is_small_and_counts_in_characters() -> None:
    line = json_line(DOCUMENT)
    assert line.endswith("}\n")
    assert line.count("\n") == 1
    assert json.loads(line) == {
        "id": "a,b",
        "text": 'Rain. Ilka "Roe left Łódź',
        "entities": [
            {"text": 'Ilka "Roe', "type": "Peop", "start_char": 6, "end_char": 15, "score": 0.75},
            {"text": "Łódź", "type": "Loc", "start_char": 21, "end_char": 25, "score": 0.5},
        ],
        "relations": [{"type": "Live_In", "head": 0, "tail": 1, "score": 0.25}],
    }


@pytest.mark.parametrize("line", [json_line, with_tokens])
def test_a_relation_of_a_later_sentence_has_its_own_arguments(line: partial[str]) -> None:
    assert triples(json.loads(line(PARAGRAPH))) == TRIPLES


@given(whole_documents(scores=True), st.booleans())
def test_a_json_line_is_what_python_gives(document: Document, tokens: bool) -> None:
    assert json.loads(json_line(document, tokens=tokens)) == document.to_dict(tokens=tokens)


@given(whole_documents(scores=True))
def test_with_tokens_the_document_can_be_had_again(document: Document) -> None:
    line = with_tokens(document)
    assert line.count("\n") == 1
    assert Document.from_json(line) == document


def mentions(document: Document) -> tuple[str, list[object], list[object]]:
    """A document in characters: its text, its entities, its relations."""
    entities = [(e.text, e.start_char, e.end_char, e.type, e.score) for e in document.entities]
    keys = dict(zip(document.entities, entities, strict=True))
    relations = [(r.type, keys[r.head], keys[r.tail], r.score) for r in document.relations]
    return document.text, [*entities], [*relations]


@pytest.mark.parametrize("tokens", [True, False])
@pytest.mark.parametrize("name", ["json", "jsonl"])
@given(found=st.lists(annotated_texts(), min_size=1, max_size=3), named=st.booleans())
def test_what_is_written_can_be_read_as_annotated_text(
    name: str, tokens: bool, found: list[Document], named: bool
) -> None:
    if named:
        found = [Document(document.sentences, id=str(number)) for number, document in enumerate(found)]
    form, report = format_named(name, tokens=tokens), formats.Report()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "written"
        whole = form.whole(map(form.render, found), len(found) == 1)
        path.write_text("".join(whole), encoding="utf-8", newline="")
        again = list(documents(formats.read(path, report=report)))
    assert [mentions(d) for d in again] == [mentions(d) for d in found if d.text]
    assert not report


def test_csv_has_a_row_per_relation_under_its_header() -> None:
    whole = "".join(format_named("csv").whole([csv_rows(DOCUMENT), csv_rows(Document([]))], False))
    assert list(csv.DictReader(io.StringIO(whole))) == [
        {
            "document": "a,b",
            "type": "Live_In",
            "head": 'Ilka "Roe',
            "head_type": "Peop",
            "head_start": "6",
            "head_end": "15",
            "tail": "Łódź",
            "tail_type": "Loc",
            "tail_start": "21",
            "tail_end": "25",
            "score": "0.25",
        }
    ]


def test_rows_of_csv_end_as_lines_do() -> None:
    assert csv_rows(DOCUMENT).endswith(",0.25\n")


@given(whole_documents())
def test_csv_holds_the_relations_whatever_their_text(document: Document) -> None:
    rows = list(csv.reader(io.StringIO(raw_csv_rows(document), newline="")))
    assert [(row[2], row[1], row[6]) for row in rows] == document.triples()


@given(whole_documents())
def test_no_cell_of_csv_is_a_formula(document: Document) -> None:
    raw = csv.reader(io.StringIO(raw_csv_rows(document), newline=""))
    for row, defused in zip(raw, csv.reader(io.StringIO(csv_rows(document), newline="")), strict=True):
        assert not any(cell.startswith(tuple("=+-@\t\r")) for cell in defused)
        assert [cell.removeprefix("'") for cell in defused] == [cell.removeprefix("'") for cell in row]


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_a_cell_that_looks_like_a_formula_is_defused_unless_it_is_to_be_left(start: str) -> None:
    entities = [Entity(0, 1, "Org"), Entity(1, 2, "Loc")]
    sentence = Sentence([f"{start}1+1", "Oslo"], entities, [Relation("In", 0, 1)])
    document = Document([sentence.with_text()])
    defused, raw = (format_named("csv", raw_cells=left).render(document) for left in (False, True))
    assert next(csv.reader([defused]))[2] == f"'{start}1+1"
    assert next(csv.reader([raw]))[2] == f"{start}1+1"


def test_only_csv_has_raw_cells() -> None:
    with pytest.raises(UsageError, match="jsonl has no cells"):
        format_named("jsonl", raw_cells=True)


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


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_tokens_are_written_where_they_are_asked_for(form: str) -> None:
    assert format_named(form, tokens=True).render(DOCUMENT) == with_tokens(DOCUMENT)
    assert format_named(form).render(DOCUMENT) == json_line(DOCUMENT) != with_tokens(DOCUMENT)


@pytest.mark.parametrize(
    ("name", "out", "told"),
    [
        (None, None, "jsonl"),
        (None, "x.csv", "csv"),
        (None, "x.JSON", "json"),
        ("csv", "x.json", "csv"),
        ("jsonl", "x", "jsonl"),
        (None, "x.brat", "brat"),
        (None, "x/", "brat"),
        (None, "x.labelstudio.json", "labelstudio"),
        (None, "x.doccano.jsonl", "doccano"),
        (None, "x.spert.json", "spert"),
        (None, "x.json.csv", "csv"),
    ],
)
def test_the_format_is_told_by_its_name_or_the_files(name: str | None, out: str | None, told: str) -> None:
    assert format_named(name, out).name == told


@pytest.mark.parametrize("out", ["x", "x.out", "x.jsonl.gz", "x.txt", "x.xml"])
def test_a_name_that_tells_no_format_is_wrong_use(out: str) -> None:
    with pytest.raises(UsageError, match=f"^{out}: does not tell its format by its name .say which: --f"):
        format_named(None, out)


@pytest.mark.parametrize(
    ("name", "tokens", "problem"),
    [
        ("xml", False, f"unknown format 'xml' (one of table, {', '.join(NAMES)})"),
        ("brat", False, "brat cannot go to stdout (name a file with --out)"),
        ("csv", True, "csv has no place for tokens (one of json, jsonl has)"),
        ("parquet", False, "Parquet cannot go to stdout (name a file with --out)"),
    ],
)
def test_what_cannot_be_written_is_wrong_use(name: str, tokens: bool, problem: str) -> None:
    with pytest.raises(UsageError) as caught:
        format_named(name, tokens=tokens)
    assert str(caught.value) == problem


def test_parquet_without_its_extra_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"^writing Parquet needs .*biaffinity\[tables\]"):
        format_named("parquet", Path("x.parquet"))


def test_parquet_is_not_finished_without_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra tables")
    finish = format_named("parquet", tmp_path / "x.parquet").finish
    assert finish is not None
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"^writing Parquet needs "):
        finish(tmp_path / "records", tmp_path / "x.parquet", False)


def test_parquet_holds_what_json_lines_hold(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra tables")
    parquet = pytest.importorskip("pyarrow.parquet")
    out, records = tmp_path / "x.parquet", tmp_path / "records"
    lines = [json_line(DOCUMENT), json_line(Document([], id="empty"))] * 700
    records.write_text("".join(lines), encoding="utf-8")
    finish = format_named("parquet", out).finish
    assert finish is not None
    finish(records, out, False)
    table = parquet.read_table(out)
    place = "start_char: int64, end_char: int64, score: double"
    assert {column.name: str(column.type) for column in table.schema} == {
        "id": "string",
        "text": "string",
        "entities": f"list<element: struct<text: string, type: string, {place}>>",
        "relations": "list<element: struct<type: string, head: int64, tail: int64, score: double>>",
    }
    assert table.num_rows == len(lines)
    assert parquet.ParquetFile(out).num_row_groups == 2, "all rows were held at once"
    assert table.slice(1398).to_pylist() == [json.loads(line) for line in lines[:2]]
    assert table.to_pylist() == [json.loads(line) for line in lines]


def test_parquet_has_its_columns_where_nothing_was_found(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra tables")
    parquet = pytest.importorskip("pyarrow.parquet")
    out, records = tmp_path / "x.parquet", tmp_path / "records"
    records.write_text(json_line(Document([], id="empty")), encoding="utf-8")
    finish = format_named("parquet", out).finish
    assert finish is not None
    finish(records, out, True)
    (row,) = parquet.read_table(out).to_pylist()
    assert row == {"id": "empty", "text": "", "entities": [], "relations": []}


def finished(name: str, tmp_path: Path, *documents: Document) -> tuple[Path, str]:
    """What a format of annotated text makes of documents, and what it reports."""
    form = format_named(name, tmp_path / "out", by=formats.Machine("news 1a"))
    assert form.finish is not None
    (tmp_path / "records").write_text("".join(map(form.render, documents)), encoding="utf-8")
    form.finish(tmp_path / "records", tmp_path / "out", False)
    return tmp_path / "out", str(form.report)


def named(name: str) -> Document:
    return replace(DOCUMENT, id=name)


@pytest.mark.parametrize("name", ["brat", "doccano", "labelstudio", "spert"])
def test_annotated_text_is_written_in_its_formats(name: str, tmp_path: Path) -> None:
    out, report = finished(name, tmp_path, named("a"), named("b"), Document([], id="c"))
    assert "1 x empty document left out (e.g. c)" in report
    assert ("scores not carried over" in report) == (name == "spert")
    again = list(formats.read(out, name))
    assert [s.tokens for s in again] == [s.tokens for s in DOCUMENT.sentences] * 2
    if name == "labelstudio":  # a machine's labels are not read as annotation
        assert not any(s.entities for s in again)
    else:
        assert [len(s.relations) for s in again] == [0, 1] * 2


@pytest.mark.parametrize(
    ("ids", "texts"),
    [
        (["notes/a.txt", "notes/sub/b.txt"], ["a.txt", "sub/b.txt"]),
        (["/data/notes/a.txt"], ["a.txt"]),
        (["a.txt", "notes/b.txt"], ["a.txt", "notes/b.txt"]),
        (["1", "2"], ["1.txt", "2.txt"]),
        (["x", "x", "x"], ["x-2.txt", "x-3.txt", "x.txt"]),
        (["x", "x-2", "x", "x"], ["x-2.txt", "x-3.txt", "x-4.txt", "x.txt"]),
        (["notes/a.txt", "/data/b.txt"], ["data/b.txt", "notes/a.txt"]),
    ],
)
def test_a_text_file_keeps_its_name_in_brat(ids: list[str], texts: list[str], tmp_path: Path) -> None:
    out, report = finished("brat", tmp_path, *map(named, ids))
    assert sorted(path.relative_to(out).as_posix() for path in out.rglob("*.txt")) == texts
    assert ("id changed" in report) == ("/data/b.txt" in ids)


@pytest.mark.parametrize("name", ["doccano", "labelstudio"])
def test_other_tools_are_told_the_whole_id(name: str, tmp_path: Path) -> None:
    out, _ = finished(name, tmp_path, named("notes/a.txt"))
    assert {s.document for s in formats.read(out, name)} == {"notes/a.txt"}
