"""Documents as tables."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from biaffinity import Document, Entity, MissingExtraError, Relation, Sentence
from biaffinity.annotation import tables

ENTITIES = [Entity(0, 1, "Peop", 0.9), Entity(3, 4, "Org")]
SENTENCE = Sentence(["Ana", "works", "for", "Norvik"], ENTITIES, [Relation("Work_For", 0, 1, 0.8)])
DOCUMENTS = [Document([SENTENCE.with_text()], id="a"), Document([SENTENCE.with_text()] * 2, id="b")]


def rows(table: Any) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = (
        table.to_pylist() if hasattr(table, "to_pylist") else table.to_dict("records")
    )
    return records


@pytest.fixture(params=["pyarrow", "pandas"])
def convert(request: pytest.FixtureRequest) -> Any:
    pytest.importorskip(request.param)
    return tables.to_arrow if request.param == "pyarrow" else tables.to_pandas


def test_an_entity_is_a_row(convert: Any) -> None:
    entities = rows(convert(iter(DOCUMENTS)).entities)
    assert [row["document"] for row in entities] == ["a", "a", "b", "b", "b", "b"]
    assert entities[0] == {
        "number": 0,
        "document": "a",
        "text": "Ana",
        "type": "Peop",
        "start": 0,
        "end": 3,
        "score": 0.9,
    }


def test_a_relation_is_a_row_with_both_its_arguments(convert: Any) -> None:
    relations = rows(convert(DOCUMENTS).relations)
    assert relations[2] == {
        "number": 1,
        "document": "b",
        "type": "Work_For",
        "head": "Ana",
        "head_type": "Peop",
        "head_start": 21,
        "head_end": 24,
        "tail": "Norvik",
        "tail_type": "Org",
        "tail_start": 35,
        "tail_end": 41,
        "score": 0.8,
    }


def test_rows_of_a_stream_without_ids_can_be_joined_back(convert: Any) -> None:
    nameless = [Document([SENTENCE.with_text()]), Document([]), Document([SENTENCE.with_text()])]
    for table in convert(nameless):
        assert {(row["number"], row["document"]) for row in rows(table)} == {(0, "0"), (2, "2")}


def test_pairs_of_a_stream_are_called_by_what_came_with_them(convert: Any) -> None:
    nameless = Document([SENTENCE.with_text()])
    pairs = [(DOCUMENTS[0], "a"), (nameless, ("x", 4)), (nameless, None)]
    for table in convert(pairs):
        names = [(0, "a"), (1, "('x', 4)"), (2, "2")]
        assert list(dict.fromkeys((row["number"], row["document"]) for row in rows(table))) == names


def test_a_document_gives_its_own_tables(convert: Any) -> None:
    document = DOCUMENTS[1]
    own = document.to_arrow() if convert is tables.to_arrow else document.to_pandas()
    for mine, same in zip(own, convert([document]), strict=True):
        assert str(rows(mine)) == str(rows(same))


def test_an_unknown_score_is_missing(convert: Any) -> None:
    score = rows(convert(DOCUMENTS).entities)[1]["score"]
    assert score is None or score != score


def test_empty_tables_have_the_same_columns_and_types(convert: Any) -> None:
    def types(table: Any) -> dict[str, str]:
        if hasattr(table, "schema"):
            return {field.name: str(field.type) for field in table.schema}
        return {name: str(kind) for name, kind in table.dtypes.items()}

    for full, empty in zip(convert(DOCUMENTS), convert([]), strict=True):
        assert types(full) == types(empty)
        assert len(empty) == 0


@pytest.mark.parametrize(("name", "convert"), [("pyarrow", tables.to_arrow), ("pandas", tables.to_pandas)])
def test_without_the_package_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, convert: Any
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=r"biaffinity\[tables\]"):
        convert(DOCUMENTS)
