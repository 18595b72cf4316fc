"""The settings of a model and of its training: typed and validated, never code. Saved with every model."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from biaffinity.decoding.network import Boundaries, Description
from biaffinity.decoding.schema import Schema
from biaffinity.encoders import ENCODERS, EncoderSettings
from biaffinity.encoders.recurrent.settings import RecurrentSettings
from biaffinity.encoders.section import Section
from biaffinity.errors import UsageError


class ModelConfig(Section):
    """The network above the encoder. The defaults are the paper's (Nguyen & Verspoor 2019)."""

    #: Entities are found by the model, or their boundaries are given (setups 1 and 2 of the paper).
    boundaries: Boundaries = "predicted"
    #: One network with shared token vectors, or two with nothing in common.
    architecture: Literal["joint", "pipeline"] = "joint"
    #: Width of the embedding of given boundaries.
    boundary_size: int = Field(default=100, gt=0)
    #: Width of each direction of the BiLSTMs of tagger and relation classifier.
    lstm_hidden: int = Field(default=100, gt=0)
    #: Layers of each of these BiLSTMs; 0 leaves them out.
    lstm_layers: int = Field(default=2, ge=0)
    #: How labels are chosen: the best sequence, or the best label of every token.
    tagger: Literal["crf", "softmax"] = "crf"
    #: Only legal labellings: BILOU transitions; with given boundaries, one type inside each.
    constrained: bool = False
    #: Width of the tagger's hidden layer.
    tagger_hidden: int = Field(default=100, gt=0)
    #: The relation classifier sees the labels of the tokens, as vectors.
    label_embeddings: bool = True
    #: Width of these vectors.
    label_size: int = Field(default=100, gt=0)
    #: Width of the head and tail projections.
    projection: int = Field(default=100, gt=0)
    # The terms that a pair's score is the sum of, each a file of `biaffinity.model.pair_terms`.
    #: The score of a pair has a term of head and tail together.
    bilinear: bool = True
    #: It has a term of head and tail each for itself, and a bias.
    linear: bool = True
    #: It has a term of the words between the two.
    context: bool = False
    #: Which pairs of entities are classified: type pairs related in the training data, or all.
    candidates: Literal["types", "all"] = "types"
    #: Relations that an ordered pair of entities may have: the best one, or all that are likelier than not.
    relations_per_pair: Literal["one", "several"] = "one"
    #: The least probability of an entity: all that are as likely are found, under all labellings together. 0
    #: takes those of the best labelling. It is fitted at the end of training.
    entity_threshold: float = Field(default=0.0, ge=0, lt=1)
    #: How far the confidence in its two entities counts for a relation: "no relation" is given minus the
    #: log of the entities' probabilities, times this. 0 looks at the relation alone.
    entity_confidence_weight: float = Field(default=0.0, ge=0)
    #: Dropout on the inputs of BiLSTMs and of feed-forward layers.
    dropout: float = Field(default=0.33, ge=0, lt=1)

    @property
    def entities_by_probability(self) -> bool:
        """Whether an entity has a probability of its own: boundaries are found, and labellings are legal."""
        return self.constrained and self.boundaries == "predicted"

    @model_validator(mode="after")
    def _some_relation_score(self) -> ModelConfig:
        if not (self.bilinear or self.linear):
            raise ValueError("bilinear and linear cannot both be off: relations would have no score")
        return self


class TrainingConfig(Section):
    """The way to the weights. The defaults are the paper's, but for selection."""

    #: How often the training data is read.
    epochs: int = Field(default=100, gt=0)
    #: Epochs without a better score on dev after which a run ends; 0 goes on to the last.
    patience: int = Field(default=0, ge=0)
    #: Sentences per update.
    batch_size: int = Field(default=1, gt=0)
    #: Of Adam.
    learning_rate: float = Field(default=5e-4, gt=0)
    #: The learning rate of weights that were learnt elsewhere: a pretrained transformer's.
    pretrained_learning_rate: float = Field(default=4e-5, gt=0)
    #: The learning rates over the run: the same throughout, or falling to zero linearly.
    schedule: Literal["constant", "linear"] = "constant"
    #: Share of the run over which they first rise from zero.
    warmup: float = Field(default=0.0, ge=0, lt=1)
    #: How far each update shrinks the weights, times their learning rate (biases are spared).
    weight_decay: float = Field(default=0.0, ge=0)
    #: Batches whose gradients are summed up for one update, where one batch of that size has no room.
    accumulation: int = Field(default=1, gt=0)
    #: Largest gradient norm; 0 leaves gradients as they are.
    clip: float = Field(default=0.0, ge=0)
    #: Adversarial training: read each batch twice, the second time with the vectors of its words moved by a
    #: step of this length, all of them together, to where the loss is higher; 0 reads it once.
    adversarial: float = Field(default=0.0, ge=0)
    #: Labels and entities that the relation classifier is trained on.
    relation_labels: Literal["gold", "predicted"] = "gold"
    #: Share of the sentences without a relation that an epoch reads, drawn anew for each. A corpus of
    #: few relations teaches a model to see none; a share evens out what it meets.
    negative_ratio: float = Field(default=1.0, ge=0, le=1)
    #: What the best epoch is best by, on dev: the mean of strict micro F1 of entities and relations, or
    #: that of the paper's macro F1 of both (the type Other left out).
    selection: Literal["micro", "paper"] = "micro"
    #: Which epoch's weights are kept: the best one's, or the last one's, for a run that learns from dev too,
    #: or whose learning rate falls to zero anyway.
    keep: Literal["best", "last"] = "best"
    #: What the finished weights are rounded to: single or half precision; or half, and the rows of words to
    #: whole numbers of eight bits with a scale for each row.
    precision: Literal["single", "half", "int8"] = "single"


class CalibrationConfig(Section):
    """The last step of training, fitted on dev: how sure a model is, and how easily it sees a relation."""

    #: Divide the scores of entities and of relations so that they are right as often as they say.
    temperatures: bool = True
    #: Find entities by their own probability: those that have at least half of the F1 of entities on dev,
    #: which is where F1 is expected to be highest. Where that has the lower F1, and where labellings need
    #: not be legal, those of the best labelling are taken.
    entity_threshold: bool = True
    #: What "no relation" is given beforehand, on top of what was learnt: nothing; or what the F1 of
    #: relations on dev asks for. Of all biases within the tolerance of the best, "fitted" takes the one
    #: nearest to nothing, "cautious" the largest: fewer spurious relations for what is within the noise.
    no_relation_bias: Literal["learnt", "fitted", "cautious"] = "fitted"
    #: Differences of F1 up to this are noise (1 is all of it).
    tolerance: float = Field(default=0.01, ge=0, le=1)
    #: Sentences without a relation for each with one that dev is weighted to have; 0 takes it as it is.
    negative_sentences: float = Field(default=0.0, ge=0)


class Config(Section):
    """All of it: saved with every model."""

    encoder: EncoderSettings = RecurrentSettings()
    model: ModelConfig = ModelConfig()
    training: TrainingConfig = TrainingConfig()
    calibration: CalibrationConfig = CalibrationConfig()

    def describe(self, schema: Schema) -> Description:
        """What decoding must know of a model of these settings."""
        return Description(
            schema,
            boundaries=self.model.boundaries,
            constrained=self.model.constrained,
            all_pairs=self.model.candidates == "all",
            entity_threshold=self.model.entity_threshold if self.model.entities_by_probability else 0.0,
            entity_confidence_weight=self.model.entity_confidence_weight,
            several_relations=self.model.relations_per_pair == "several",
        )

    def updated(self, section: str, **values: Any) -> Config:
        """The same with some values of a section set otherwise."""
        changed = getattr(self, section).model_copy(update=values)
        return self.model_copy(update={section: changed})


def validate(values: Mapping[str, Any], where: str) -> Config:
    """A config from plain values; every mistake is named with the nearest thing that exists."""
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        problems = "; ".join(_explain(problem) for problem in error.errors())
        raise UsageError(problems, where=where) from None


def _explain(problem: Any) -> str:
    steps = [str(step) for step in problem["loc"]]
    encoder = steps.pop(1) if steps[0:1] == ["encoder"] and steps[1:2] and steps[1] in ENCODERS else None
    place = ".".join(steps)
    if problem["type"] == "union_tag_invalid":
        return f"{place}.type: must be one of {', '.join(ENCODERS)}"
    if problem["type"] == "union_tag_not_found":
        return f"{place}: must be a section"
    if problem["type"] != "extra_forbidden":
        message = problem["msg"].removeprefix("Value error, ")
        return f"{place or 'config'}: {message[0].lower()}{message[1:]}"
    known = list(_known_keys(encoder or RecurrentSettings().type))
    near = difflib.get_close_matches(place, known, n=1, cutoff=0.4)
    options = [key for key in known if key.startswith(f"{steps[0]}.")] or known
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(options)}"
    return f"unknown key {place}; {hint}"


def _known_keys(encoder: str) -> Iterable[str]:
    for section, field in Config.model_fields.items():
        kind: Any = ENCODERS[encoder] if section == "encoder" else field.annotation
        yield section
        yield from (f"{section}.{key}" for key in kind.model_fields)
