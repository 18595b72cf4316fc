"""The settings: the protocol's defaults, what they tell decoding, and what each mistake is told."""

from __future__ import annotations

from typing import Any

import pytest

from biaffinity.config.settings import CalibrationConfig, Config, ModelConfig, TrainingConfig, validate
from biaffinity.decoding.schema import Schema
from biaffinity.encoders.recurrent.settings import RecurrentSettings
from biaffinity.errors import UsageError

SCHEMA = Schema(["Loc", "Peop"], ["Live_In"], [("Peop", "Loc")])


def complaint(values: Any) -> str:
    with pytest.raises(UsageError) as caught:
        validate(values, where="place")
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("place: ")
    return message


def test_the_defaults_are_the_protocol_s() -> None:
    encoder, model, training = RecurrentSettings(), ModelConfig(), TrainingConfig()
    assert (encoder.character_size, encoder.character_hidden, encoder.character_shared) == (25, 25, True)
    assert (model.lstm_hidden, model.lstm_layers, model.tagger_hidden, model.projection) == (100, 2, 100, 100)
    assert (model.label_size, model.boundary_size) == (100, 100)
    assert (model.dropout, encoder.word_dropout) == (0.33, 0.25)
    assert (training.learning_rate, training.batch_size, training.epochs) == (5e-4, 1, 100)


def test_by_default_an_epoch_is_chosen_by_micro_f1_and_the_model_is_calibrated() -> None:
    assert TrainingConfig().selection == "micro"
    assert (CalibrationConfig().temperatures, CalibrationConfig().no_relation_bias) == (True, "fitted")


def test_no_values_are_the_defaults() -> None:
    assert validate({}, where="place") == Config()


def test_a_config_comes_back_from_its_values() -> None:
    config = Config(
        encoder=RecurrentSettings(characters=False, word_size=7),
        model=ModelConfig(boundaries="given", context=True),
        training=TrainingConfig(selection="paper", precision="half"),
        calibration=CalibrationConfig(tolerance=0.01),
    )
    assert validate(config.model_dump(), where="config.json") == config


def test_a_config_does_not_change_under_its_owner() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Config().model.dropout = 0.5  # type: ignore[misc]


def test_an_update_changes_its_values_and_leaves_the_original() -> None:
    before = Config(model=ModelConfig(context=True))
    after = before.updated("model", dropout=0.1)
    assert after == Config(model=ModelConfig(context=True, dropout=0.1))
    assert before.model.dropout == 0.33


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ({}, ("predicted", False, False, 0.0)),
        ({"boundaries": "given"}, ("given", False, False, 0.0)),
        ({"constrained": True}, ("predicted", True, False, 0.0)),
        ({"candidates": "all"}, ("predicted", False, True, 0.0)),
        ({"entity_confidence_weight": 4.0}, ("predicted", False, False, 4.0)),
    ],
    ids=str,
)
def test_decoding_is_told_what_it_must_know(model: dict[str, Any], expected: tuple[Any, ...]) -> None:
    known = validate({"model": model}, where="place").describe(SCHEMA)
    found = (known.boundaries, known.constrained, known.all_pairs, known.entity_confidence_weight)
    assert found == expected
    assert known.schema is SCHEMA


@pytest.mark.parametrize(
    ("section", "key", "nearest"),
    [
        ("model", "droput", "model.dropout"),
        ("model", "lstm_hiden", "model.lstm_hidden"),
        ("training", "learning-rate", "training.learning_rate"),
        ("encoder", "normalization", "encoder.normalisation"),
        ("calibration", "temperature", "calibration.temperatures"),
        ("modle", "dropout", "model"),
    ],
)
def test_an_unknown_key_is_told_the_nearest_known_one(section: str, key: str, nearest: str) -> None:
    message = complaint({section: {key: 1}})
    assert f"did you mean {nearest}?" in message
    assert "unknown key" in message


def test_a_key_like_no_other_is_told_what_there_is() -> None:
    message = complaint({"qqq": {"x": 1}})
    assert "unknown key qqq; known: encoder, " in message
    assert all(key in message for key in ("encoder.word_size", "training.epochs", "calibration.tolerance"))


def test_a_value_outside_any_section_is_told_its_own() -> None:
    assert "did you mean training.epochs?" in complaint({"epochs": 5})


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        ("encoder", "type", "convolutional"),
        ("encoder", "word_size", 0),
        ("encoder", "keep_unseen", -1),
        ("encoder", "word_dropout", float("inf")),
        ("encoder", "unseen_words", "ignored"),
        ("model", "boundaries", 3),
        ("model", "boundaries", "guessed"),
        ("model", "dropout", 1),
        ("model", "dropout", -0.1),
        ("model", "dropout", float("nan")),
        ("model", "tagger", "hmm"),
        ("model", "entity_confidence_weight", -1),
        ("training", "epochs", 0),
        ("training", "epochs", 2.5),
        ("training", "epochs", "many"),
        ("training", "epochs", [1]),
        ("training", "learning_rate", float("inf")),
        ("training", "clip", float("inf")),
        ("training", "negative_ratio", 1.5),
        ("training", "relation_labels", "scheduled"),
        ("training", "selection", "macro"),
        ("training", "precision", "quarter"),
        ("calibration", "no_relation_bias", True),
        ("calibration", "tolerance", 2),
        ("calibration", "negative_sentences", -1),
    ],
)
def test_a_value_that_cannot_be_is_named(section: str, key: str, value: Any) -> None:
    assert f"place: {section}.{key}: " in complaint({section: {key: value}})


@pytest.mark.parametrize("section", ["encoder", "model", "training", "calibration"])
@pytest.mark.parametrize("value", [3, [], "x", None])
def test_what_is_no_section_is_named(section: str, value: Any) -> None:
    assert complaint({section: value}).startswith(f"place: {section}: ")


def test_every_mistake_is_told_at_once() -> None:
    message = complaint({"model": {"boundaries": 3}, "training": {"epoch": 2}})
    assert "model.boundaries" in message
    assert "training.epoch;" in message


def test_relations_need_a_score() -> None:
    message = complaint({"model": {"bilinear": False, "linear": False}})
    assert "bilinear and linear cannot both be off" in message
