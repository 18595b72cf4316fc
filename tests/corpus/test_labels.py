from __future__ import annotations

import pytest

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.corpus import Problem, check
from biaffinity.corpus.labels import respelled


def joined(head: str, relation: str, tail: str) -> Sentence:
    """A sentence with one relation between two entities."""
    return Sentence(["a", "b"], [Entity(0, 1, head), Entity(1, 2, tail)], [Relation(relation, 0, 1)])


def problem(splits: dict[str, list[Sentence]], code: str) -> Problem | None:
    return next((p for p in check(splits).problems if p.code == code), None)


KNOWN = [joined("Peop", "Live_In", "Loc"), joined("Peop", "Work_For", "Org")] * 2


def test_a_label_that_training_shows_once_is_found() -> None:
    splits = {"train": [*KNOWN, joined("Peop", "Kill", "God")], "dev": KNOWN}
    entity, relation = problem(splits, "single-entity-type"), problem(splits, "single-relation-type")
    assert entity is not None
    assert relation is not None
    assert entity.splits["train"].examples == ["God x 1"]
    assert relation.splits["train"].examples == ["Kill x 1"]


def test_a_label_once_in_each_of_two_training_splits_occurs_twice() -> None:
    splits = {"train-1": [joined("Peop", "Kill", "Peop")], "train-2": [joined("Peop", "Kill", "Peop")]}
    assert problem(splits, "single-relation-type") is None


def test_a_label_that_occurs_once_outside_training_is_no_matter() -> None:
    splits = {"train": KNOWN, "dev": [joined("Peop", "Live_In", "Loc")]}
    assert problem(splits, "single-entity-type") is None


def test_types_that_training_never_shows_are_found_with_the_splits_that_have_them() -> None:
    splits = {
        "train": KNOWN,
        "dev": [joined("Peop", "Live_In", "Planet")] * 2,
        "test": [joined("Peop", "Visit", "Loc")],
    }
    entity, relation = problem(splits, "unseen-entity-type"), problem(splits, "unseen-relation-type")
    assert entity is not None
    assert relation is not None
    assert {name: f.examples for name, f in entity.splits.items()} == {"dev": ["Planet x 2"]}
    assert {name: f.examples for name, f in relation.splits.items()} == {"test": ["Visit x 1"]}


def test_without_any_label_in_training_none_is_called_unseen() -> None:
    splits = {"train": [Sentence(["a"])], "dev": KNOWN}
    assert problem(splits, "unseen-entity-type") is None
    assert problem(splits, "unseen-type-pair") is None


def test_types_that_a_relation_never_joins_in_training_are_found() -> None:
    splits = {"train": KNOWN, "test": [joined("Loc", "Live_In", "Peop"), joined("Peop", "Live_In", "Loc")]}
    found = problem(splits, "unseen-type-pair")
    assert found is not None
    assert found.splits["test"].examples == ["Live_In: Loc → Peop x 1"]
    assert found.count == 1


def test_a_pair_with_an_unseen_type_is_told_once_as_an_unseen_type() -> None:
    splits = {"train": KNOWN, "test": [joined("Peop", "Live_In", "Planet"), joined("Peop", "Visit", "Loc")]}
    assert problem(splits, "unseen-type-pair") is None


def test_labels_that_differ_in_spelling_only_are_found_across_splits() -> None:
    splits = {"train": KNOWN, "dev": [joined("PEOP", "live-in", "Loc")]}
    entity, relation = problem(splits, "respelled-entity-type"), problem(splits, "respelled-relation-type")
    assert entity is not None
    assert relation is not None
    assert entity.splits["dev"].examples == ["PEOP (Peop) x 1"]
    assert relation.splits["dev"].examples == ["live-in (Live_In) x 1"]


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"Loc": 5, "LOC": 9}, {"Loc": "LOC"}),
        ({"a": 1, "A": 1}, {"a": "A"}),
        ({"Work_For": 3, "WorkFor": 2, "work for ": 1}, {"WorkFor": "Work_For", "work for ": "Work_For"}),
        ({"+": 1, "-": 1}, {}),
        ({"Loc": 1, "Location": 1}, {}),
    ],
)
def test_the_rarer_spelling_points_to_the_more_frequent_one(
    counts: dict[str, int], expected: dict[str, str]
) -> None:
    assert respelled(counts) == expected


def test_types_that_training_joins_by_no_relation_are_counted_apart() -> None:
    splits = {"train": KNOWN, "test": [joined("Loc", "Live_In", "Org"), joined("Peop", "Live_In", "Org")]}
    found = problem(splits, "unseen-type-pair")
    assert found is not None
    assert found.count == 2
    assert found.advice.startswith("no example to learn from; 1 between types that no relation joins there")
