"""Documents as tables."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from biaffinity import Document, Entity, MissingExtraError, Relation, Sentence
from biaffinity.extraction import tables

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
