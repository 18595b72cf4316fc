"""Recipes: those of the package, files of one's own, overrides, and what each mistake is told."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from biaffinity.config.recipes import read_recipe, recipe_path, recipes
from biaffinity.config.settings import CalibrationConfig, Config, ModelConfig, TrainingConfig
from biaffinity.encoders.recurrent.settings import RecurrentSettings
from biaffinity.errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RECIPES = recipes()
#: What one file of the package has in its sections.
WRITTEN = {name: tomllib.loads(path.read_text(encoding="utf-8")) for name, path in RECIPES.items()}


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


@pytest.mark.parametrize("section", ["model", "training"])
def test_the_paper_s_recipe_names_every_value_of_the_network_and_its_training(section: str) -> None:
    assert WRITTEN["paper"][section].keys() == getattr(Config(), section).model_dump().keys()


def test_the_paper_s_recipe_differs_from_the_defaults_in_words_selection_and_calibration_alone() -> None:
    paper = read_recipe("paper")
    assert paper == Config(
        encoder=RecurrentSettings(normalisation="paper", vocabulary="train+dev", unseen_words="unk"),
        model=ModelConfig(),
        training=TrainingConfig(selection="paper"),
        calibration=CalibrationConfig(temperatures=False, entity_threshold=False, no_relation_bias="learnt"),
    )


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_of_the_package_is_valid_and_goes_by_its_name(name: str) -> None:
    config = read_recipe(name)
    assert read_recipe(RECIPES[name], [f"training.epochs={config.training.epochs}"]) == config


def test_the_package_has_the_paper_s_recipe_and_ours() -> None:
    assert {"paper", "paper-batched", "default", "demo", "news"} <= RECIPES.keys()


def test_the_batched_recipe_of_the_paper_differs_from_it_only_in_the_way_of_training() -> None:
    paper, batched = read_recipe("paper"), read_recipe("paper-batched")
    assert batched.model_copy(update={"training": paper.training}) == paper
    differing = {key for key, value in batched.training if value != getattr(paper.training, key)}
    assert differing <= {"batch_size", "learning_rate", "schedule", "clip", "epochs"}


def test_the_embedded_model_s_recipe_has_the_network_of_the_default_one() -> None:
    assert read_recipe("news").model == read_recipe("default").model


def test_a_name_that_no_recipe_has_is_told_the_known_ones() -> None:
    message = complaint("papr")
    assert "papr" in message
    assert ", ".join(RECIPES) in message


def test_a_path_is_taken_as_it_is(recipe: Path) -> None:
    assert recipe_path(recipe) == recipe


def test_a_file_without_an_ending_is_a_recipe_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").write_text("[training]\nepochs = 7\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert read_recipe("mine").training.epochs == 7


def test_a_recipe_lies_over_the_defaults(recipe: Path) -> None:
    assert read_recipe(recipe) == Config(training=TrainingConfig(epochs=7))


def test_a_byte_order_mark_is_no_part_of_a_recipe(recipe: Path) -> None:
    recipe.write_text("\ufeff" + recipe.read_text(encoding="utf-8"), encoding="utf-8")
    assert read_recipe(recipe).training.epochs == 7


@pytest.mark.parametrize(
    ("override", "section", "key", "value"),
    [
        ("training.epochs=50", "training", "epochs", 50),
        ("training.learning_rate=2e-3", "training", "learning_rate", 0.002),
        ("model.dropout=0", "model", "dropout", 0.0),
        ("encoder.characters=false", "encoder", "characters", False),
        ('model.tagger="softmax"', "model", "tagger", "softmax"),
        ("model.tagger='softmax'", "model", "tagger", "softmax"),
        ("model.tagger=softmax", "model", "tagger", "softmax"),
        ("encoder.vocabulary=train+dev", "encoder", "vocabulary", "train+dev"),
        (" model.boundaries = given ", "model", "boundaries", "given"),
        ("encoder.keep_unseen=1_000", "encoder", "keep_unseen", 1000),
        ("calibration.temperatures=false", "calibration", "temperatures", False),
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


@pytest.mark.parametrize("override", ["training.epochs=many", "training.epochs=", "model.droput=1"])
def test_a_mistake_is_told_with_its_option(recipe: Path, override: str) -> None:
    message = complaint(recipe, override)
    assert message.startswith(f"--set {override}: ")
    assert override.split("=")[0] in message


@pytest.mark.parametrize("override", ["training.epochs", "epochs=5", "=", ""])
def test_an_override_of_another_form_is_shown_the_right_one(recipe: Path, override: str) -> None:
    assert "section.key=value" in complaint(recipe, override)


def test_an_override_below_a_plain_value_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "r.toml"
    path.write_text("model = 3\n", encoding="utf-8")
    assert "model is not a section" in complaint(path, "model.boundaries=given")
    assert "model:" in complaint(path)


def test_a_file_that_is_not_toml_is_told_its_line(tmp_path: Path) -> None:
    path = tmp_path / "r.toml"
    path.write_text("[model]\nboundaries = = 1\n", encoding="utf-8")
    message = complaint(path)
    assert message.startswith(f"{path}: is not TOML")
    assert "line 2" in message


def test_a_missing_recipe_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no such file"):
        read_recipe(tmp_path / "none.toml")


def test_a_bad_override_is_blamed_and_not_the_recipe(recipe: Path) -> None:
    told = complaint(recipe, "training.epochs=9", "model.dropout=high")
    assert told.startswith("--set training.epochs=9 --set model.dropout=high: model.dropout: input should be")
    assert str(recipe) not in told


def test_a_recipe_that_is_wrong_by_itself_is_blamed_whatever_is_laid_over(recipe: Path) -> None:
    recipe.write_text("[training]\nepochs = -7\n", encoding="utf-8")
    assert complaint(recipe, "model.dropout=0.5").startswith(f"{recipe}: training.epochs:")
