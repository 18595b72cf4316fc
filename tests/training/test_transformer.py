"""Training with a transformer underneath: which weights learn how fast, and every shape of model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

pytest.importorskip("transformers", reason="needs the extra transformers")

from biaffinity.config.settings import Config
from biaffinity.errors import UsageError
from biaffinity.model.folder import load_model
from biaffinity.training import Finished, Progress, Trainer, TrainingData
from encoders.transformer import tiny as transformers
from training import tiny

Train = Callable[..., Finished]
DATA = TrainingData(tiny.sentences(18), tiny.sentences(6, first=31))


def trainer(config: Config) -> Trainer:
    return Trainer(config, DATA, seed=1, device="cpu")


def first_update(run: Trainer) -> Progress:
    return next(event for event in run.events() if isinstance(event, Progress))


@pytest.mark.parametrize("architecture", ["joint", "pipeline"])
def test_the_transformer_learns_at_its_own_rate_and_all_else_at_the_other(
    architecture: str, transformer: Path
) -> None:
    rates = {"learning_rate": 0.01, "pretrained_learning_rate": 1e-4, "batch_size": 18}
    recipe = tiny.config(model={"architecture": architecture}, training=rates)
    run = trainer(tiny.above(transformer, recipe))
    before = {name: p.detach().clone() for name, p in run.model.named_parameters()}
    first_update(run)
    fastest = {
        name: float((p.detach() - before[name]).abs().max()) for name, p in run.model.named_parameters()
    }
    learnt_elsewhere = {name: moved for name, moved in fastest.items() if ".words.transformer." in name}
    others = {name: moved for name, moved in fastest.items() if name not in learnt_elsewhere}
    # Adam's first update moves a weight by its rate, wherever there is a gradient at all.
    assert max(learnt_elsewhere.values()) == pytest.approx(1e-4, rel=0.01)
    assert max(others.values()) == pytest.approx(0.01, rel=0.01)
    encoders = {name.partition(".")[0] for name, moved in learnt_elsewhere.items() if moved > 5e-5}
    assert encoders == {"encoder"} | ({"relation_encoder"} if architecture == "pipeline" else set())


@pytest.mark.parametrize("over_transformer", [True, False], ids=["transformer", "recurrent"])
def test_batches_summed_up_are_one_large_batch(over_transformer: bool, tmp_path: Path) -> None:
    still = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    folder = transformers.save_bert(tmp_path, DATA.train, **still)

    def update(**training: Any) -> tuple[Progress, dict[str, torch.Tensor]]:
        recipe = tiny.config(encoder={"word_dropout": 0.0}, model={"dropout": 0.0}, training=training)
        if over_transformer:
            recipe = tiny.above(folder, recipe).updated("encoder", dropout=0.0)
        run = trainer(recipe)
        assert run.steps_per_epoch == 1
        progress = first_update(run)
        return progress, {name: p.grad for name, p in run.model.named_parameters() if p.grad is not None}

    one, whole = update(batch_size=18)
    several, summed = update(batch_size=4, accumulation=5)  # the last of 2 sentences
    assert several.sentences == one.sentences == 18
    assert several.loss == pytest.approx(one.loss, rel=1e-5)
    assert summed.keys() == whole.keys()
    for name, gradient in whole.items():
        torch.testing.assert_close(summed[name], gradient, atol=1e-5, rtol=1e-4)
    assert any(gradient.abs().max() > 0.01 for gradient in whole.values())


def test_an_update_reads_as_many_batches_as_are_asked_for() -> None:
    run = trainer(tiny.config(training={"batch_size": 4, "accumulation": 2, "epochs": 1}))
    updates = [event for event in run.events() if isinstance(event, Progress)]
    assert len(updates) == run.steps_per_epoch == 3
    assert sum(update.sentences for update in updates) == 18
    assert max(update.sentences for update in updates) == 8


@pytest.mark.parametrize(
    "model",
    [
        {"lstm_layers": 0},
        {"lstm_layers": 0, "boundaries": "given", "constrained": True, "context": True},
        {"lstm_layers": 1, "architecture": "pipeline"},
        {"lstm_layers": 0, "architecture": "pipeline", "boundaries": "given", "tagger": "softmax"},
    ],
)
def test_a_model_of_any_shape_is_trained(
    model: dict[str, Any], train: Train, transformer: Path, tmp_path: Path
) -> None:
    recipe = tiny.config(model=model, training={"epochs": 1, "relation_labels": "predicted"})
    finished = train(tmp_path / "m", tiny.above(transformer, recipe))
    again = load_model(tmp_path / "m")
    assert again.config.encoder.type == "transformer"
    assert (len(again.tagger.lstm.forwards), finished.best_epoch) == (model["lstm_layers"], 1)
    names = {path.name for path in (tmp_path / "m").iterdir()}
    assert {"transformer.json", "tokenizer.json", "model.safetensors"} <= names
    assert "vocabulary.json" not in names


def test_a_recurrent_model_may_have_no_lstm_above_its_encoder(train: Train, tmp_path: Path) -> None:
    train(tmp_path / "m", tiny.config(model={"lstm_layers": 0}, training={"epochs": 1}))
    model = load_model(tmp_path / "m")
    assert not [name for name, _ in model.named_parameters() if "lstm.forwards" in name]


def test_it_learns(train: Train, transformer: Path, tmp_path: Path) -> None:
    rates = {"learning_rate": 0.02, "pretrained_learning_rate": 0.005, "schedule": "linear", "warmup": 0.1}
    recipe = tiny.config(
        model={"lstm_layers": 0, "constrained": True}, training={**rates, "epochs": 12, "clip": 5.0}
    )
    finished = train(tmp_path / "m", tiny.above(transformer, recipe))
    assert finished.dev["ner", "micro"].f1 > 0.6
    losses = [line["tagger_loss"] for line in tiny.history(tmp_path / "m")]
    assert losses[-1] < losses[0] / 3
    calibration = json.loads((tmp_path / "m" / "run.json").read_text())["calibration"]
    assert calibration["entity_temperature"] > 0


def test_word_vectors_are_refused(train: Train, transformer: Path, tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("lives 1 2\nin 3 4\n")
    with pytest.raises(
        UsageError, match=r"a transformer encoder reads no word vectors \(leave out --vectors\)"
    ):
        train(tmp_path / "m", tiny.above(transformer, tiny.config()), vectors=tmp_path / "v.txt")
    assert not (tmp_path / "m").exists()


def test_an_unknown_encoder_is_told_before_anything_is_written(train: Train, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"encoder\.name: .*cannot be opened"):
        train(tmp_path / "m", tiny.above(tmp_path / "no such" / "folder", tiny.config()))
    assert not (tmp_path / "m").exists()
