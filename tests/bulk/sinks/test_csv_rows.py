from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given

from biaffinity.annotation import Document, Entity, Relation, Sentence
from biaffinity.bulk.sinks import format_named
from biaffinity.bulk.sinks.csv_rows import csv_rows, raw_csv_rows
from biaffinity.errors import UsageError
from bulk.sinks.example import DOCUMENT
from strategies import whole_documents


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
