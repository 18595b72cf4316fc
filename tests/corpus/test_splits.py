from __future__ import annotations

from pathlib import Path

import pytest

from biaffinity.corpus.splits import in_order, named, role, training_data


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("train", "train"),
        ("TRAIN", "train"),
        ("training", "train"),
        ("conll04_train", "train"),
        ("train.raw", "train"),
        ("train1", "train"),
        ("dev", "dev"),
        ("valid", "dev"),
        ("ade-validation", "dev"),
        ("val", "dev"),
        ("test", "test"),
        ("test_2024", "test"),
        ("contest", None),
        ("restrained", None),
        ("norel", None),
        ("train/norel.jsonl", None),
        ("", None),
    ],
)
def test_a_word_of_the_name_tells_the_role(name: str, expected: str | None) -> None:
    assert role(name) == expected


def test_training_data_is_what_says_so() -> None:
    assert training_data(["dev", "train-2", "train-1"]) == ("train-2", "train-1")


def test_where_nothing_says_train_the_first_is_training_data() -> None:
    assert training_data(["news", "dev"]) == ("news",)
    assert training_data([]) == ()


def test_training_comes_first_then_dev_then_test_then_the_rest_as_given() -> None:
    assert in_order(["norel", "test", "dev", "extra", "train"]) == ["train", "dev", "test", "norel", "extra"]
    assert in_order(["news", "test", "dev"]) == ["news", "dev", "test"]


def test_a_path_goes_by_its_stem() -> None:
    assert named([Path("x/train.jsonl"), Path("x/dev.txt")]) == {
        "train": Path("x/train.jsonl"),
        "dev": Path("x/dev.txt"),
    }


def test_equal_stems_are_told_apart_by_the_whole_path() -> None:
    assert list(named([Path("a/dev.jsonl"), Path("b/dev.jsonl")])) == ["a/dev.jsonl", "b/dev.jsonl"]


def test_a_path_given_twice_counts_once() -> None:
    assert list(named([Path("a.jsonl"), Path("a.jsonl")])) == ["a"]
