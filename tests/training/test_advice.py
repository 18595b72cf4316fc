"""What is said before a run starts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra train")

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.encoders.recurrent.vectors import WordVectors
from biaffinity.training import Advised, TrainingData, train
from biaffinity.training.advice import advice
from training import tiny

VECTORS = WordVectors(["ida"], np.zeros((1, 8), dtype=np.float32), source="v.txt")


def numbered(count: int, first: int = 0) -> list[Sentence]:
    """Sentences of which no two are alike."""
    return [
        Sentence(
            [f"Ida{n}", "of", "Solund"], [Entity(0, 1, "Peop"), Entity(2, 3, "Loc")], [Relation("Of", 0, 1)]
        )
        for n in range(first, first + count)
    ]


def told(train: list[Sentence], dev: list[Sentence], vectors: WordVectors | None = VECTORS) -> list[str]:
    return list(advice(tiny.config(), TrainingData(train, dev, vectors=vectors)))


def test_sound_data_gets_no_advice() -> None:
    assert told(numbered(200), numbered(30, first=200)) == []


def test_dev_that_is_the_training_data_is_said_to_be() -> None:
    data = numbered(200)
    assert told(data, data) == [
        "every sentence of dev stands in the training data too: its scores say nothing of new text"
    ]


def test_some_sentences_of_dev_in_train_are_counted() -> None:
    (line,) = told(numbered(200), numbered(30, first=198))
    assert line.startswith(
        "sentences that repeat one of an earlier split, case and punctuation ignored: 2 in dev"
    )


def test_labels_that_only_dev_has_are_named() -> None:
    ship = Sentence(["Aurora", "sank"], [Entity(0, 1, "Ship")])
    (line,) = told(numbered(200), [*numbered(30, first=200), ship])
    assert line.startswith("entities of a type that never occurs in the training data: 1 in dev")
    assert line.endswith("(e.g. Ship x 1)")


def test_few_sentences_and_no_vectors_are_told() -> None:
    lines = told(numbered(20), numbered(5, first=20), vectors=None)
    assert [line.split(":")[0] for line in lines] == [
        "20 sentences are few to learn from",
        "dev has 5 sentences",
        "no word vectors are given",
    ]


def test_a_run_gives_it_before_anything_else(tmp_path) -> None:
    files, events = tiny.write_corpus(tmp_path), []
    train(tiny.config(training={"epochs": 1}), **files, out=tmp_path / "m", graphs=False, watch=events.append)
    assert isinstance(events[0], Advised)
    assert "every sentence of dev" in events[0].line


def test_a_model_that_goes_on_learning_asks_for_no_vectors(tmp_path: Path) -> None:
    """It has its own, and others are refused."""
    data = TrainingData(numbered(20), numbered(5, first=20), start=tmp_path)
    assert not any("word vectors" in line for line in advice(tiny.config(), data))
