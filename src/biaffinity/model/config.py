"""The configuration of a model and of its training: data, typed and validated, never code.

A recipe is a TOML file with the sections below; ``--set model.dropout=0.5`` overrides one value. Those that
come with the package go by their names.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from biaffinity.encoding.normalisation import Normalisation
from biaffinity.errors import UsageError
from biaffinity.files import read_text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class Section(BaseModel):
    """A part of the config; unknown keys are errors, values do not change after validation."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class EncodingConfig(Section):
    """How tokens become numbers."""

    normalisation: Normalisation = "lower"
    #: Whose words get rows of their own. The released program takes dev's words too.
    vocabulary: Literal["train", "train+dev"] = "train"


class VectorsConfig(Section):
    """Pretrained word vectors."""

    #: What a word is that training never met but the vectors know: its vector, or the unknown word.
    unseen: Literal["pretrained", "unk"] = "pretrained"
    #: How many of the most frequent such words the model carries along.
    keep: int = Field(default=200_000, ge=0)
    #: The width of word vectors where none are given.
    size: int = Field(default=100, gt=0)


class ModelConfig(Section):
    """The network. The defaults are the paper's (Nguyen & Verspoor 2019)."""

    #: 1: entities and relations from tokens. 2: entity boundaries are given.
    setup: Literal[1, 2] = 1
    #: One network with shared inputs, or two with nothing in common.
    architecture: Literal["joint", "pipeline"] = "joint"
    characters: bool = True
    character_size: int = Field(default=25, gt=0)
    character_hidden: int = Field(default=25, gt=0)
    #: One character LSTM for both directions, as in the released program.
    character_shared: bool = True
    boundary_size: int = Field(default=100, gt=0)
    lstm_hidden: int = Field(default=100, gt=0)
    lstm_layers: int = Field(default=2, gt=0)
    tagger: Literal["crf", "softmax"] = "crf"
    #: Only legal labellings: BILOU transitions; with given boundaries, one type inside each.
    constrained: bool = False
    tagger_hidden: int = Field(default=100, gt=0)
    label_embeddings: bool = True
    label_size: int = Field(default=100, gt=0)
    #: Width of the head and tail projections.
    projection: int = Field(default=100, gt=0)
    bilinear: bool = True
    linear: bool = True
    #: Add a max-pooled vector of the words between the arguments to the biaffine score.
    context: bool = False
    #: Which pairs of entities are classified: type pairs related in the training data, or all.
    candidates: Literal["types", "all"] = "types"
    #: How far doubt about its two entities counts against a relation: "no relation" is given minus the
    #: log of the entities' probabilities, times this. 0 looks at the relation alone.
    entity_doubt: float = Field(default=0.0, ge=0)
    #: Dropout on the inputs of BiLSTMs and of feed-forward layers.
    dropout: float = Field(default=0.33, ge=0, lt=1)
    #: α of word dropout: a word is hidden with probability α / (α + count).
    word_dropout: float = Field(default=0.25, ge=0)

    @model_validator(mode="after")
    def _some_relation_score(self) -> ModelConfig:
        if not (self.bilinear or self.linear):
            raise ValueError("bilinear and linear cannot both be off: relations would have no score")
        return self


class TrainingConfig(Section):
    """The way to the weights. The defaults are the paper's."""

    epochs: int = Field(default=100, gt=0)
    batch_size: int = Field(default=1, gt=0)
    learning_rate: float = Field(default=5e-4, gt=0)
    #: The learning rate over the run: the same throughout, or falling to zero linearly.
    schedule: Literal["constant", "linear"] = "constant"
    #: Largest gradient norm; 0 leaves gradients as they are.
    clip: float = Field(default=0.0, ge=0)
    #: Labels and entities that the relation classifier is trained on: gold, predicted, or
    #: predicted ones for a share of sentences that grows from 0 to 1 over the run.
    relation_labels: Literal["gold", "predicted", "scheduled"] = "gold"
    #: Decay of the running mean of the weights that is evaluated and kept; 0 keeps the weights themselves.
    averaging: float = Field(default=0.0, ge=0, lt=1)
    #: Share of the sentences without a relation that an epoch reads, drawn anew for each. A corpus of
    #: few relations teaches a model to see none; a share evens out what it meets.
    unrelated_share: float = Field(default=1.0, ge=0, le=1)


class Config(Section):
    """All of it: saved with every model."""

    encoding: EncodingConfig = EncodingConfig()
    vectors: VectorsConfig = VectorsConfig()
    model: ModelConfig = ModelConfig()
    training: TrainingConfig = TrainingConfig()


def recipes() -> dict[str, Path]:
    """The recipes that come with the package, by name."""
    return {path.stem: path for path in sorted((Path(__file__).parent.parent / "recipes").glob("*.toml"))}


def recipe_path(recipe: Path | str) -> Path:
    """The file of a recipe, given by its path or by the name it has in the package.

    >>> recipe_path("paper").name
    'paper.toml'
    """
    path, known = Path(recipe), recipes()
    if str(recipe) in known:
        return known[str(recipe)]
    if not path.suffix and len(path.parts) == 1 and not path.exists():
        raise UsageError(f"no recipe has the name {recipe}", remedy=f"known: {', '.join(known)}; or a path")
    return path


def read_recipe(recipe: Path | str, overrides: Iterable[str] = ()) -> Config:
    """A recipe, by path or name, with overrides of the form ``section.key=value`` laid over it."""
    path = recipe_path(recipe)
    try:
        values = tomllib.loads(read_text(path).removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"is not TOML: {error}", where=str(path), remedy="correct that line") from error
    for override in overrides:
        _lay_over(values, override)
    return validate(values, where=str(path))


def validate(values: Mapping[str, Any], where: str) -> Config:
    """A config from plain values; every mistake is named with the nearest thing that exists."""
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        problems = "; ".join(_explain(problem) for problem in error.errors())
        raise UsageError(problems, where=where) from None


def _lay_over(values: dict[str, Any], override: str) -> None:
    name, equals, text = override.partition("=")
    section, dot, key = name.strip().partition(".")
    if not equals or not dot:
        raise UsageError(
            f"--set {override} is not of the form section.key=value",
            remedy="for example --set training.epochs=50",
        )
    try:
        value = tomllib.loads(f"value = {text.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        value = text.strip()  # a bare word is a string
    part = values.setdefault(section, {})
    if not isinstance(part, dict):
        raise UsageError(f"{section} is not a section", where=f"--set {override}")
    part[key] = value


def _explain(problem: Any) -> str:
    place = ".".join(str(step) for step in problem["loc"])
    if problem["type"] != "extra_forbidden":
        message = problem["msg"].removeprefix("Value error, ")
        return f"{place or 'config'}: {message[0].lower()}{message[1:]}"
    known = list(_known_keys())
    near = difflib.get_close_matches(place, known, n=1, cutoff=0.4)
    section = f"{problem['loc'][0]}."
    options = [key for key in known if key.startswith(section)] or known
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(options)}"
    return f"unknown key {place}; {hint}"


def _known_keys() -> Iterable[str]:
    for section, field in Config.model_fields.items():
        yield section
        annotation = field.annotation
        if isinstance(annotation, type) and issubclass(annotation, Section):
            yield from (f"{section}.{key}" for key in annotation.model_fields)
