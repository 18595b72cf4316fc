"""Settings, names and descriptions of version 1 as those of version 2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from biaffinity.config.recipes import read_recipe
from biaffinity.config.settings import Config, validate
from biaffinity.config.upgrade import upgraded_config, upgraded_head, upgraded_tensor
from biaffinity.errors import UsageError
from biaffinity.files import read_json_lines

#: Files with a line per run.
RESULTS = [
    path
    for path in sorted((Path(__file__).parents[2] / "results").glob("*.jsonl"))
    if path.stem != "no-relation-bias"
]
#: A config of version 1, every value another than its default, as it was written down.
OLD: dict[str, dict[str, Any]] = {
    "encoding": {"normalisation": "paper", "vocabulary": "train+dev"},
    "vectors": {"unseen": "unk", "keep": 77, "size": 33},
    "model": {
        "setup": 2,
        "architecture": "pipeline",
        "characters": False,
        "character_size": 5,
        "character_hidden": 6,
        "character_shared": False,
        "boundary_size": 7,
        "lstm_hidden": 8,
        "lstm_layers": 1,
        "tagger": "softmax",
        "constrained": True,
        "tagger_hidden": 9,
        "label_embeddings": False,
        "label_size": 10,
        "projection": 11,
        "bilinear": False,
        "linear": True,
        "context": True,
        "candidates": "all",
        "entity_doubt": 4.0,
        "dropout": 0.5,
        "word_dropout": 0.1,
    },
    "training": {
        "epochs": 12,
        "batch_size": 13,
        "learning_rate": 0.014,
        "schedule": "linear",
        "clip": 5.0,
        "relation_labels": "predicted",
        "averaging": 0.0,
        "unrelated_share": 0.25,
    },
}
NEW: dict[str, dict[str, Any]] = {
    "encoder": {
        "normalisation": "paper",
        "vocabulary": "train+dev",
        "unseen_words": "unk",
        "keep_unseen": 77,
        "word_size": 33,
        "word_dropout": 0.1,
        "characters": False,
        "character_size": 5,
        "character_hidden": 6,
        "character_shared": False,
    },
    "model": {
        "boundaries": "given",
        "architecture": "pipeline",
        "boundary_size": 7,
        "lstm_hidden": 8,
        "lstm_layers": 1,
        "tagger": "softmax",
        "constrained": True,
        "tagger_hidden": 9,
        "label_embeddings": False,
        "label_size": 10,
        "projection": 11,
        "bilinear": False,
        "linear": True,
        "context": True,
        "candidates": "all",
        "entity_confidence_weight": 4.0,
        "dropout": 0.5,
    },
    "training": {
        "epochs": 12,
        "batch_size": 13,
        "learning_rate": 0.014,
        "schedule": "linear",
        "clip": 5.0,
        "relation_labels": "predicted",
        "negative_ratio": 0.25,
        "selection": "paper",
    },
    "calibration": {"temperatures": False, "no_relation_bias": "learnt", "entity_threshold": False},
}


def test_every_setting_keeps_its_value_under_its_new_name() -> None:
    assert upgraded_config(OLD) == NEW
    validate(NEW, where="the test")


def test_an_upgrade_leaves_what_it_was_given_alone() -> None:
    before = json.dumps(OLD)
    upgraded_config(OLD)
    upgraded_config({"training": {}})
    assert json.dumps(OLD) == before
    assert upgraded_config({})["training"] == {"selection": "paper"}


def test_what_was_not_written_down_is_as_it_was_then() -> None:
    config = validate(upgraded_config({}), where="the test")
    assert config.training.selection == "paper"
    assert (config.calibration.temperatures, config.calibration.no_relation_bias) == (False, "learnt")
    assert (config.encoder, config.model) == (Config().encoder, Config().model)


def test_a_run_from_before_the_threshold_of_entities_has_none() -> None:
    earlier = read_recipe("default").model_dump()
    del earlier["calibration"]["entity_threshold"]
    upgraded = upgraded_config(earlier)
    assert upgraded["calibration"] == {**earlier["calibration"], "entity_threshold": False}
    assert "entity_threshold" not in earlier["calibration"]


@pytest.mark.parametrize("recipe", ["paper", "default", "news"])
def test_settings_of_version_2_are_left_as_they_are(recipe: str) -> None:
    values = read_recipe(recipe).model_dump()
    assert upgraded_config(values) == values


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"training": {"averaging": 0.99}}, "unknown key training.averaging"),
        ({"training": {"relation_labels": "scheduled"}}, "training.relation_labels: "),
        ({"model": {"setup": 3}}, "model.boundaries: "),
        ({"model": {"setup": []}}, "model.boundaries: "),
        ({"model": {"trust": 1}}, "unknown key model.trust"),
        ({"model": 3}, "model: "),
        ({"training": None}, "training: "),
        ([], "config: "),
        (3, "config: "),
        (None, "config: "),
    ],
    ids=str,
)
def test_what_cannot_be_had_any_more_or_never_could_is_left_to_be_named(values: Any, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        validate(upgraded_config(values), where="the test")
    assert str(caught.value).startswith(f"the test: {told}")


@pytest.mark.skipif(not RESULTS, reason="results/ is not in the source distribution")
@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_every_config_of_a_kept_result_can_be_read(path: Path) -> None:
    for where, record in read_json_lines(path):
        values = upgraded_config(record["config"])
        if path.stem == "news" and "trust" in values["training"]:  # of code that was not kept
            with pytest.raises(UsageError, match=r"unknown key training\.trust"):
                validate(values, where=where)
        else:
            assert validate(values, where=where).training.epochs == record["epochs_done"]


def test_types_move_from_the_vocabulary_to_the_description_and_the_word_size_back() -> None:
    head = {"format": "biaffinity-model", "version": 1, "word_size": 33, "config": OLD}
    types = {"entity_types": ["Loc"], "relation_types": ["In"], "pairs": [["Loc", "Loc"]]}
    words = {"words": ["a"], "counts": [1], "characters": ["a"], "unseen": []}
    new_head, new_words = upgraded_head(head, {**words, **types})
    assert new_head == {"format": "biaffinity-model", "version": 2, "schema": types, "config": NEW}
    assert new_words == {**words, "word_size": 33}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tokens.words.trained", "encoder.words.trained"),
        ("tokens.characters.ahead.weight_ih_l0", "encoder.characters.ahead.weight_ih_l0"),
        ("tokens.boundaries.weight", "boundaries.embedding.weight"),
        ("relation_tokens.words.trained", "relation_encoder.words.trained"),
        ("relation_tokens.boundaries.weight", "relation_boundaries.embedding.weight"),
        ("tagger.lstm.forwards.0.weight_ih_l0", "tagger.lstm.forwards.0.weight_ih_l0"),
        ("tagger.crf.start", "tagger.crf.start"),
        ("relations.label_embedding.weight", "relations.label_embedding.weight"),
        ("relations.lstm.backwards.1.bias_hh_l0", "relations.lstm.backwards.1.bias_hh_l0"),
        ("relations.head.weight", "relations.scorer.head.weight"),
        ("relations.tail.bias", "relations.scorer.tail.bias"),
        ("relations.biaffine.bias", "relations.scorer.bias"),
        ("relations.biaffine.bilinear", "relations.scorer.terms.bilinear.weight"),
        ("relations.biaffine.linear", "relations.scorer.terms.linear.weight"),
        ("relations.context.bias", "relations.scorer.terms.context.projection.bias"),
        ("relations.context_output.weight", "relations.scorer.terms.context.output.weight"),
    ],
)
def test_a_tensor_has_its_new_name(old: str, new: str) -> None:
    assert upgraded_tensor(old) == new
