"""Training that goes on from a model: what stays, what is learnt, what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from biaffinity.annotation import Entity, Sentence
from biaffinity.errors import UsageError
from biaffinity.formats import write
from biaffinity.model.folder import load_model, save_model
from biaffinity.training import Finished
from training import tiny

Train = Callable[..., Finished]
STILL = {"learning_rate": 1e-12, "epochs": 1}
PLAIN = {"temperatures": False, "no_relation_bias": "learnt"}


@pytest.fixture
def begun(train: Train, tmp_path: Path) -> Path:
    return train(tmp_path / "first", tiny.config(calibration=PLAIN)).folder


def test_it_starts_from_the_weights_of_the_model(train: Train, begun: Path, tmp_path: Path) -> None:
    again = train(tmp_path / "again", tiny.config(training=STILL, calibration=PLAIN), start=begun)
    before, after = tiny.weights(begun), tiny.weights(again.folder)
    assert before.keys() == after.keys()
    assert all(before[name].float().allclose(after[name].float(), atol=1e-6) for name in before)
    assert (again.folder / "vocabulary.json").read_bytes() == (begun / "vocabulary.json").read_bytes()


def test_it_learns_on(train: Train, begun: Path, tmp_path: Path) -> None:
    again = train(tmp_path / "again", tiny.config(calibration=PLAIN), start=begun)
    assert tiny.history(again.folder)[0]["tagger_loss"] < tiny.history(begun)[0]["tagger_loss"]


def test_the_network_is_the_models_whatever_the_recipe_says(
    train: Train, begun: Path, tmp_path: Path
) -> None:
    wider = tiny.config(model={"lstm_hidden": 16}, training=STILL)
    folder = train(tmp_path / "again", wider, start=begun).folder
    assert json.loads((folder / "config.json").read_text())["config"]["model"]["lstm_hidden"] == 8


def test_a_temperature_that_was_fitted_is_undone(train: Train, begun: Path, tmp_path: Path) -> None:
    model = load_model(begun)
    model.relations.scorer.temperature.fill_(2.0)
    save_model(model, begun)
    again = train(tmp_path / "again", tiny.config(training=STILL, calibration=PLAIN), start=begun).folder
    assert float(tiny.weights(again)["relations.scorer.temperature"]) == 1.0


def test_a_run_resumed_from_another_model_is_refused(train: Train, begun: Path, tmp_path: Path) -> None:
    train(tmp_path / "again", tiny.config(training=STILL), start=begun)
    with pytest.raises(UsageError, match="start"):
        train(tmp_path / "again", tiny.config(training=STILL), resume=True)


def test_types_that_the_model_does_not_know_are_named(train: Train, begun: Path, tmp_path: Path) -> None:
    write(tmp_path / "ships.jsonl", [Sentence(["Vasa", "sank"], [Entity(0, 1, "Ship")], id="1")])
    with pytest.raises(UsageError, match="does not know the entities Ship"):
        train(tmp_path / "again", tiny.config(), start=begun, train=tmp_path / "ships.jsonl")


def test_settings_of_the_network_and_vectors_are_refused(train: Train, begun: Path, tmp_path: Path) -> None:
    recipe = tiny.write_recipe(tmp_path / "r.toml")
    with pytest.raises(UsageError, match=r"model\.lstm_hidden=9: the network of .* stays"):
        train(tmp_path / "again", recipe, start=begun, overrides=["model.lstm_hidden=9"])
    (tmp_path / "v.txt").write_text("oslo 1 2 3\n")
    with pytest.raises(UsageError, match="leave out --vectors"):
        train(tmp_path / "again", recipe, start=begun, vectors=tmp_path / "v.txt")
