"""The types of a model: gathered, there and back through JSON, and what is no schema."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.decoding.schema import Schema
from biaffinity.errors import DataError
from strategies import corpora

TRAIN = [
    Sentence(
        ["Ada", "left", "Quell", "in", "1987"],
        [Entity(0, 1, "Peop"), Entity(2, 3, "Loc"), Entity(4, 5, "Other")],
        [Relation("Live_In", 0, 1)],
    ),
    Sentence(["Ada"]),
]
SCHEMA = Schema(["Loc", "Other", "Peop"], ["Live_In"], [("Peop", "Loc")])


@given(corpora())
def test_names_are_those_that_occur_in_order_and_once(train: list[Sentence]) -> None:
    schema = Schema.build(train)
    assert list(schema.entity_types) == sorted({e.type for s in train for e in s.entities})
    assert list(schema.relation_types) == sorted({r.type for s in train for r in s.relations})
    pairs = {(s.entities[r.head].type, s.entities[r.tail].type) for s in train for r in s.relations}
    assert list(schema.pairs) == sorted(pairs)


@given(corpora())
def test_it_comes_back_from_json(train: list[Sentence]) -> None:
    schema = Schema.build(train)
    assert Schema.from_dict(json.loads(json.dumps(schema.to_dict()))) == schema


def test_no_relation_is_a_class_of_its_own() -> None:
    assert SCHEMA.classes == 2


def test_pairs_of_types_that_were_related_may_be_related_again_in_that_order() -> None:
    expected = np.zeros((3, 3), dtype=bool)
    expected[2, 0] = True
    np.testing.assert_array_equal(SCHEMA.related(), expected)


def test_any_types_may_be_related_where_pairs_do_not_matter() -> None:
    assert SCHEMA.related(all_pairs=True).all()


#: The key at fault, what is put there, and what the error says of it.
DAMAGE: dict[str, tuple[str, Any, str]] = {
    "types missing": ("entity_types", ..., "schema: entity_types is missing"),
    "pairs missing": ("pairs", ..., "schema: pairs is missing"),
    "a key too many": ("colour", "red", "schema: colour is unknown"),
    "no list of types": ("entity_types", None, "schema.entity_types: must be a list of strings"),
    "types a string": ("entity_types", "Loc", "schema.entity_types: must be a list of strings"),
    "types of lists": ("entity_types", [["Loc"]], "schema.entity_types: must be a list of strings"),
    "a type twice": ("entity_types", ["Loc", "Loc", "Peop"], "schema.entity_types: names a type twice"),
    "relations a number": ("relation_types", 5, "schema.relation_types: must be a list of strings"),
    "relations of numbers": ("relation_types", [5], "schema.relation_types: must be a list of strings"),
    "a relation twice": ("relation_types", ["Kill", "Kill"], "schema.relation_types: names a type twice"),
    "pairs a number": ("pairs", 5, "schema.pairs: must be a list of pairs"),
    "a pair of three": ("pairs", [["Peop", "Loc", "Loc"]], "schema.pairs: must be a list of pairs"),
    "a pair of one": ("pairs", ["P"], "schema.pairs: must be a list of pairs"),
    "a pair in a string": ("pairs", ["PL"], "schema.pairs: must be a list of pairs"),
    "a head of an unknown type": ("pairs", [["Ship", "Loc"]], "schema.pairs: must be a list of pairs"),
    "a tail of an unknown type": ("pairs", [["Peop", "Ship"]], "schema.pairs: must be a list of pairs"),
    "a pair of lists": ("pairs", [[["Peop"], "Loc"]], "schema.pairs: must be a list of pairs"),
}


@pytest.mark.parametrize(("key", "value", "message"), DAMAGE.values(), ids=DAMAGE)
def test_what_is_no_schema_is_an_error_that_names_the_fault(key: str, value: Any, message: str) -> None:
    record = {**Schema.build(TRAIN).to_dict(), key: value}
    record = {name: part for name, part in record.items() if part is not ...}
    with pytest.raises(DataError) as caught:
        Schema.from_dict(record)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_an_empty_object_is_no_schema() -> None:
    with pytest.raises(DataError, match="is missing"):
        Schema.from_dict({})
