"""The config: defaults, recipes, overrides, and what each mistake is told."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from biaffinity.errors import UsageError
from biaffinity.model.config import Config, ModelConfig, TrainingConfig, read_recipe, recipes, validate

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RECIPES = recipes()
PAPER = RECIPES["paper"]


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """A recipe of one value."""
    path = tmp_path / "recipe.toml"
    path.write_text("[training]\nepochs = 7\n", encoding="utf-8")
    return path


def complaint(path: Path | str, *overrides: str) -> str:
    with pytest.raises(UsageError) as caught:
        read_recipe(path, overrides)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(("section", "kind"), [("model", ModelConfig), ("training", TrainingConfig)])
def test_the_paper_s_recipe_names_every_value_and_each_is_the_default(section: str, kind: Any) -> None:
    written = tomllib.loads(PAPER.read_text(encoding="utf-8"))[section]
    assert written == kind().model_dump()


def test_the_paper_s_recipe_differs_from_the_defaults_only_in_words() -> None:
    paper, default = read_recipe(PAPER), Config()
    assert (paper.model, paper.training) == (default.model, default.training)
    assert (paper.encoding.normalisation, paper.encoding.vocabulary) == ("paper", "train+dev")
    assert paper.vectors.unseen == "unk"
    assert paper.vectors.size == default.vectors.size


def test_the_defaults_are_the_protocol_s() -> None:
    model, training = ModelConfig(), TrainingConfig()
    assert (model.character_size, model.character_hidden, model.character_shared) == (25, 25, True)
    assert (model.lstm_hidden, model.lstm_layers, model.tagger_hidden, model.projection) == (100, 2, 100, 100)
    assert (model.label_size, model.boundary_size) == (100, 100)
    assert (model.dropout, model.word_dropout) == (0.33, 0.25)
    assert (training.learning_rate, training.batch_size, training.epochs) == (5e-4, 1, 100)


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_of_the_package_is_valid_and_goes_by_its_name(name: str) -> None:
    config = read_recipe(name)
    assert read_recipe(RECIPES[name], [f"training.epochs={config.training.epochs}"]) == config


def test_the_package_has_the_paper_s_recipe_and_ours() -> None:
    assert {"paper", "paper-batched", "default", "demo"} <= RECIPES.keys()


def test_the_batched_recipe_of_the_paper_differs_from_it_only_in_the_way_of_training() -> None:
    paper, batched = read_recipe("paper"), read_recipe("paper-batched")
    assert batched.model_copy(update={"training": paper.training}) == paper
    differing = {key for key, value in batched.training if value != getattr(paper.training, key)}
    assert differing <= {"batch_size", "learning_rate", "schedule", "clip", "epochs"}


def test_a_name_that_no_recipe_has_is_told_the_known_ones() -> None:
    message = complaint("papr")
    assert "papr" in message
    assert ", ".join(RECIPES) in message


def test_a_file_without_an_ending_is_a_recipe_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").write_text("[training]\nepochs = 7\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert read_recipe("mine").training.epochs == 7


def test_a_recipe_lies_over_the_defaults(recipe: Path) -> None:
    config = read_recipe(recipe)
    assert config == Config(training=TrainingConfig(epochs=7))


def test_a_config_comes_back_from_its_values() -> None:
    config = read_recipe(PAPER, ["model.setup=2", "model.context=true"])
    assert validate(config.model_dump(), where="config.json") == config


@pytest.mark.parametrize(
    ("override", "section", "key", "value"),
    [
        ("training.epochs=50", "training", "epochs", 50),
        ("training.learning_rate=2e-3", "training", "learning_rate", 0.002),
        ("model.dropout=0", "model", "dropout", 0.0),
        ("model.characters=false", "model", "characters", False),
        ('model.tagger="softmax"', "model", "tagger", "softmax"),
        ("model.tagger='softmax'", "model", "tagger", "softmax"),
        ("model.tagger=softmax", "model", "tagger", "softmax"),
        ("encoding.vocabulary=train+dev", "encoding", "vocabulary", "train+dev"),
        (" model.setup = 2 ", "model", "setup", 2),
        ("vectors.keep=1_000", "vectors", "keep", 1000),
    ],
)
def test_an_override_is_read_as_what_it_is(
    recipe: Path, override: str, section: str, key: str, value: Any
) -> None:
    found = getattr(getattr(read_recipe(recipe, [override]), section), key)
    assert found == value
    assert type(found) is type(value)


def test_the_last_override_wins_and_others_stay(recipe: Path) -> None:
    config = read_recipe(recipe, ["training.epochs=1", "training.clip=5", "training.epochs=2"])
    assert (config.training.epochs, config.training.clip) == (2, 5.0)


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("model.droput", "model.dropout"),
        ("model.lstm_hiden", "model.lstm_hidden"),
        ("training.learning-rate", "training.learning_rate"),
        ("modle.dropout", "model"),
        ("encoding.normalization", "encoding.normalisation"),
    ],
)
def test_an_unknown_key_is_told_the_nearest_known_one(recipe: Path, key: str, nearest: str) -> None:
    message = complaint(recipe, f"{key}=1")
    assert f"did you mean {nearest}?" in message
    assert "unknown key" in message


def test_a_key_like_no_other_is_told_what_there_is(recipe: Path) -> None:
    message = complaint(recipe, "qqq.x=1")
    assert "unknown key qqq; known: encoding, " in message
    assert "training.epochs" in message


def test_a_value_outside_any_section_is_told_its_own(tmp_path: Path) -> None:
    path = tmp_path / "r.toml"
    path.write_text("epochs = 5\n", encoding="utf-8")
    assert "did you mean training.epochs?" in complaint(path)


@pytest.mark.parametrize(
    ("override", "named"),
    [
        ("model.setup=3", "model.setup"),
        ("model.dropout=1", "model.dropout"),
        ("model.dropout=-0.1", "model.dropout"),
        ("model.dropout=nan", "model.dropout"),
        ("training.epochs=0", "training.epochs"),
        ("training.epochs=2.5", "training.epochs"),
        ("training.epochs=many", "training.epochs"),
        ("training.epochs=", "training.epochs"),
        ("training.epochs=[1]", "training.epochs"),
        ("model.tagger=hmm", "model.tagger"),
        ("training.averaging=1", "training.averaging"),
        ("training.learning_rate=inf", "training.learning_rate"),
        ("training.clip=inf", "training.clip"),
        ("model.word_dropout=inf", "model.word_dropout"),
    ],
)
def test_a_value_that_cannot_be_is_named(recipe: Path, override: str, named: str) -> None:
    message = complaint(recipe, override)
    assert named in message
    assert str(recipe) in message


def test_every_mistake_is_told_at_once(recipe: Path) -> None:
    message = complaint(recipe, "model.setup=3", "training.epoch=2")
    assert "model.setup" in message
    assert "training.epoch;" in message


@pytest.mark.parametrize("override", ["training.epochs", "epochs=5", "=", ""])
def test_an_override_of_another_form_is_shown_the_right_one(recipe: Path, override: str) -> None:
    assert "section.key=value" in complaint(recipe, override)


def test_an_override_below_a_plain_value_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "r.toml"
    path.write_text("model = 3\n", encoding="utf-8")
    assert "model is not a section" in complaint(path, "model.setup=1")
    assert "model:" in complaint(path)


def test_relations_need_a_score(recipe: Path) -> None:
    message = complaint(recipe, "model.bilinear=false", "model.linear=false")
    assert "bilinear and linear cannot both be off" in message


def test_a_file_that_is_not_toml_is_told_its_line(tmp_path: Path) -> None:
    path = tmp_path / "r.toml"
    path.write_text("[model]\nsetup = = 1\n", encoding="utf-8")
    message = complaint(path)
    assert message.startswith(f"{path}: is not TOML")
    assert "line 2" in message


def test_a_missing_recipe_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no such file"):
        read_recipe(tmp_path / "none.toml")
