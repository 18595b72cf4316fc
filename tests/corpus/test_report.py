from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given

from biaffinity.annotation import Entity, Sentence
from biaffinity.corpus import CorpusReport, check
from biaffinity.errors import AnnotationError, DataError, UsageError
from strategies import corpora

ANNA = Sentence(["Anna", "left"], [Entity(0, 1, "Peop")], id="1")
BO = Sentence(["Bo", "left"], [Entity(0, 1, "Peop")], id="2")


def unreadable(report: CorpusReport) -> dict[str, list[str]]:
    for problem in report.problems:
        if problem.code == "unreadable":
            assert problem.severity == "error"
            return {name: finding.examples for name, finding in problem.splits.items()}
    return {}


def broken(*sentences: Sentence, error: Exception) -> Iterator[Sentence]:
    yield from sentences
    raise error


class Resumable(Iterator[Sentence]):
    """An iterator that can go on after an error, as a generator cannot."""

    def __init__(self, *items: Sentence | Exception) -> None:
        self.items = iter(items)

    def __next__(self) -> Sentence:
        item = next(self.items)
        if isinstance(item, Exception):
            raise item
        return item


def test_splits_come_in_the_order_train_dev_test_whatever_order_they_were_given_in() -> None:
    report = check({"test": [], "dev": [], "train": [ANNA]})
    assert [profile.name for profile in report.splits] == ["train", "dev", "test"]
    assert report.training == ("train",)


def test_the_first_split_is_training_data_where_no_name_says_train() -> None:
    report = check({"news": [ANNA], "dev": [BO]})
    assert report.training == ("news",)


def test_data_with_an_error_is_not_trainable() -> None:
    assert not check({"train": []}).trainable
    assert not check({}).trainable


def test_data_with_warnings_is_trainable() -> None:
    report = check({"train": [ANNA]})
    assert report.findings()["warning"] > 0
    assert report.trainable


@pytest.mark.parametrize("kind", [DataError, AnnotationError])
def test_a_split_that_breaks_off_is_an_error_and_the_others_are_read(kind: type[DataError]) -> None:
    report = check({"train": broken(ANNA, error=kind("is odd", where="a:2")), "dev": [BO]})
    assert unreadable(report) == {"train": ["a:2: is odd"]}
    assert [profile.sentences for profile in report.splits] == [1, 1]
    assert "nothing was read after the last in train" in report.problems[0].advice


def test_an_iterator_that_can_go_on_after_an_error_is_read_to_its_end() -> None:
    bad = [DataError("is odd", where=f"a:{line}") for line in (1, 3)]
    report = check({"train": Resumable(bad[0], ANNA, bad[1], BO)})
    assert unreadable(report) == {"train": ["a:1: is odd", "a:3: is odd"]}
    assert report.splits[0].sentences == 2
    assert "nothing was read" not in report.problems[0].advice


def test_an_unreadable_split_is_not_called_empty_too() -> None:
    report = check({"train": [ANNA], "dev": broken(error=DataError("no such file"))})
    assert "no-sentences" not in [problem.code for problem in report.problems]


def test_wrong_use_is_not_a_finding() -> None:
    with pytest.raises(UsageError):
        check({"train": broken(error=UsageError("unknown format"))})


def test_every_sentence_is_taken_once_and_none_is_kept() -> None:
    alive = 0

    class Counted(Sentence):
        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    def stream() -> Iterator[Sentence]:
        nonlocal alive
        for number in range(50):
            alive += 1
            yield Counted([f"w{number}"], id=str(number))
            assert alive <= 3

    assert check({"train": stream()}).splits[0].sentences == 50


def test_the_keys_of_the_record_are_these() -> None:
    record = check({"train": [ANNA, ANNA], "test": [ANNA]}).to_dict()
    assert list(record) == ["trainable", "training", "splits", "repeats", "problems"]
    assert list(record["splits"]["train"]) == [
        "sentences",
        "tokens",
        "entities",
        "relations",
        "entity_types",
        "relation_types",
        "type_pairs",
        "lengths",
        "sentences_without_entity",
        "sentences_with_one_entity",
        "sentences_without_relation",
        "overlaps",
    ]
    assert record["repeats"] == {
        "texts": 1,
        "texts_annotated_differently": 0,
        "splits": {
            "train": {
                "within": [{"id": "1", "first_split": "train", "first_id": "1"}],
                "across": [],
                "origins": {},
                "differing": [],
            },
            "test": {
                "within": [],
                "across": [{"id": "1", "first_split": "train", "first_id": "1"}],
                "origins": {"train": 1},
                "differing": [],
            },
        },
    }
    assert record["problems"][0] == {
        "severity": "warning",
        "code": "no-relations",
        "message": "relations in the training data",
        "advice": "only entities can be learned",
        "count": 0,
        "splits": {"train": {"count": 0, "examples": []}},
    }


@given(corpora(), corpora())
def test_any_corpus_can_be_reported_as_json(train: list[Sentence], dev: list[Sentence]) -> None:
    report = check({"train": train, "dev": dev})
    record = json.loads(json.dumps(report.to_dict()))
    assert record["trainable"] == (bool(dev) and any(s.entities for s in train))
    assert record["splits"]["train"]["sentences"] == len(train)


def test_a_split_that_cannot_be_opened_is_a_finding_of_its_own() -> None:
    class Missing(list[Sentence]):
        def __iter__(self) -> Iterator[Sentence]:
            raise DataError("no such file", where="dev.jsonl")

    report = check({"train": [ANNA], "dev": Missing()})
    assert unreadable(report) == {"dev": ["dev.jsonl: no such file"]}
