"""The last step of training, fitted on dev: which entities are found, how easily a relation is seen, and
scores that mean what they say.

A threshold of half of their F1 finds entities by their own probability (`biaffinity.decoding.likely`), where
that is not the worse way. A bias
towards "no relation" trades missing relations for spurious ones. Temperatures (Guo et al. 2017) are for a
network that is trained to the end and surer than it is right: its last scores divided by one number give the
same best labelling and the same relations with humbler probabilities. Bias and temperatures become part of
the weights, so that no runtime has to know of them.

A relation's score is its probability times those of its entities. The temperature is fitted to the former
alone: of a network whose sentences are like those of dev the product is then too modest, of any other about
right, where one that was fitted to the product would be much too sure (docs/experiments.md).

The weight of entity confidence is divided like the relations' scores that it is added to. It then weighs
humbler probabilities, and a relation on the border may come or go.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Literal

import numpy as np
import torch

from biaffinity.annotation import Relation, Sentence
from biaffinity.config.settings import CalibrationConfig, Config
from biaffinity.decoding.arrays import Floats, Ints
from biaffinity.decoding.candidates import Pairs
from biaffinity.decoding.crf import CRFDecoder
from biaffinity.decoding.labels import Spans
from biaffinity.decoding.network import Batch, Description, Featuriser, Network
from biaffinity.decoding.prediction import predict
from biaffinity.decoding.schema import NO_RELATION
from biaffinity.model.joint import JointModel
from biaffinity.model.network import TorchNetwork
from biaffinity.scoring import score
from biaffinity.scoring.calibration import calibrate, judge
from biaffinity.scoring.matching import Cell

#: Temperatures to choose from: from 0.61 to 15 in steps of a twentieth, and none among them.
TEMPERATURES = tuple(1.05**step for step in range(-10, 57))
#: Biases that are tried: students of a careful vote want some three less than they learnt.
BIASES = tuple(step / 4 for step in range(-12, 13))
_PLACE = "place in the replay"


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was fitted."""

    no_relation_bias: float = 0.0
    entity_temperature: float = 1.0
    relation_temperature: float = 1.0
    entity_threshold: float = 0.0

    def to_dict(self) -> dict[str, float]:
        """A JSON object."""
        return {name: round(value, 3) for name, value in asdict(self).items()}


def fit_calibration(
    model: JointModel, dev: Sequence[Sentence], settings: CalibrationConfig, relations: Cell
) -> Calibration:
    """What a config asks for, fitted on dev; ``relations`` is the cell that the bias is judged by.

    First what is about entities, since relations are judged between those that will be found.
    """
    fitted = Calibration()
    # Entity confidence is set aside: then the same relations are found under all temperatures.
    sure = model.config.updated("model", entity_confidence_weight=0.0)
    labelling = Replay(TorchNetwork(model), sure.describe(model.schema))
    if settings.temperatures:
        fitted = replace(fitted, entity_temperature=_fit_temperature(labelling, dev, "entities"))
    if settings.entity_threshold and model.config.model.entities_by_probability:
        fitted = replace(fitted, entity_threshold=_fit_threshold(labelling, dev))
    if settings.no_relation_bias != "learnt":
        weighted = with_negatives(dev, settings.negative_sentences)
        replay = Replay(TorchNetwork(model), calibrated_config(model.config, fitted).describe(model.schema))
        replay.entity_temperature = fitted.entity_temperature
        fitted = replace(fitted, no_relation_bias=_fit_bias(replay, weighted, settings, relations))
    if settings.temperatures:
        replay = Replay(TorchNetwork(model), calibrated_config(sure, fitted).describe(model.schema))
        replay.entity_temperature = fitted.entity_temperature
        replay.no_relation_bias = fitted.no_relation_bias
        fitted = replace(fitted, relation_temperature=_fit_temperature(replay, dev, "relations"))
    return fitted


def _fit_threshold(replay: Replay, dev: Sequence[Sentence]) -> float:
    """Half of the F1 of entities, or 0 where they are found better by the best labelling."""
    labelling = replay.description
    by_labelling = score(dev, replay.predict(dev))["ner", "micro"].f1
    threshold = round(by_labelling / 2, 2)
    replay.description = replace(labelling, entity_threshold=threshold)
    by_probability = score(dev, replay.predict(dev))["ner", "micro"].f1
    replay.description = labelling
    return threshold if by_probability >= by_labelling else 0.0


def _fit_temperature(
    replay: Replay, dev: Sequence[Sentence], kind: Literal["entities", "relations"]
) -> float:
    """The temperature at which the scores of a kind have the lowest loss; the replay is left at it."""
    temperature_of = "entity_temperature" if kind == "entities" else "relation_temperature"

    @cache
    def log_loss(temperature: float) -> float:
        setattr(replay, temperature_of, temperature)
        judged = judge(dev, map(without_entities, replay.predict(dev)))
        return calibrate(getattr(judged, kind)).log_loss if getattr(judged, kind) else 0.0

    best = lowest(TEMPERATURES, log_loss) if log_loss(1.0) else 1.0
    setattr(replay, temperature_of, best)
    return best


def without_entities(sentence: Sentence) -> Sentence:
    """The sentence, its relations scored as if their entities were sure.

    >>> from biaffinity.annotation import Entity
    >>> entities = [Entity(0, 1, "Peop", 0.5), Entity(1, 2, "Loc", 0.8)]
    >>> one = Sentence(["Ida", "Oslo"], entities, [Relation("Live_In", 0, 1, 0.2)])
    >>> [relation.score for relation in without_entities(one).relations]
    [0.5]
    """

    def alone(relation: Relation) -> float:
        entities = math.prod(sentence.entities[end].score or 0.0 for end in (relation.head, relation.tail))
        return min(1.0, (relation.score or 0.0) / entities) if entities else 0.0

    relations = [replace(relation, score=alone(relation)) for relation in sentence.relations]
    return sentence.annotated(sentence.entities, relations)


def lowest(values: Sequence[float], loss: Callable[[float], float]) -> float:
    """The value of the lowest loss, which falls up to it and rises from it on: some ten are tried.

    >>> lowest([1, 2, 3, 4, 5, 6, 7], lambda value: abs(value - 5.2))
    5
    """
    low, high = 0, len(values) - 1
    while low < high:
        middle = (low + high) // 2
        if loss(values[middle]) <= loss(values[middle + 1]):
            high = middle
        else:
            low = middle + 1
    return values[low]


def apply_calibration(model: JointModel, fitted: Calibration) -> None:
    """Make what was fitted part of a model's weights."""
    scorer, tagger = model.relations.scorer, model.tagger
    with torch.no_grad():
        scorer.bias[NO_RELATION] += fitted.no_relation_bias
        scorer.temperature.mul_(fitted.relation_temperature)
        for part in (*tagger.output.parameters(), *tagger.crf.parameters()):
            part.div_(fitted.entity_temperature)
    model.configure(calibrated_config(model.config, fitted))


def calibrated_config(config: Config, fitted: Calibration) -> Config:
    """The settings of a calibrated model."""
    weight = config.model.entity_confidence_weight / fitted.relation_temperature
    return config.updated(
        "model", entity_confidence_weight=round(weight, 2), entity_threshold=fitted.entity_threshold
    )


def with_negatives(dev: Sequence[Sentence], ratio: float) -> list[Sentence]:
    """Dev with its sentences without a relation repeated, until there are ``ratio`` for each with one."""
    negative = [sentence for sentence in dev if not sentence.relations]
    if not ratio or not negative:
        return list(dev)
    times = int(ratio * (len(dev) - len(negative)) / len(negative))
    return [*dev, *negative * max(0, times - 1)]


def _fit_bias(replay: Replay, dev: Sequence[Sentence], settings: CalibrationConfig, relations: Cell) -> float:
    scores = {}
    for bias in BIASES:
        replay.no_relation_bias = bias
        scores[bias] = score(dev, replay.predict(dev))[relations].f1
    best = max(scores.values())
    if best == 0:
        return 0.0
    near = [bias for bias, f1 in scores.items() if f1 >= best - settings.tolerance]
    return max(near) if settings.no_relation_bias == "cautious" else min(near, key=abs)


class Replay:
    """A network whose scores are computed once and then given again, under a bias and temperatures.

    Every pass over the same sentences reads the same batches in the same order. Where the temperature of
    entities changes which are found, by their probability or by that of types within given boundaries, the
    pairs are scored anew.
    """

    def __init__(self, network: Network, description: Description) -> None:
        self.description = description
        self.entity_temperature = 1.0
        self.relation_temperature = 1.0
        self.no_relation_bias = 0.0
        self._network = network
        self._crf = network.crf
        self._batches: list[Batch] = []
        self._emissions: list[Floats] = []
        #: By batch, the scores of pairs and the labelling that they are of.
        self._logits: dict[int, tuple[Ints, Floats]] = {}
        self._place = 0

    def predict(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """The sentences annotated; always the same ones."""
        self._place = 0
        return list(predict(self, sentences))

    @property
    def batch_tokens(self) -> int:
        """The network's."""
        return self._network.batch_tokens

    @property
    def crf(self) -> CRFDecoder:
        """The network's, at this temperature."""
        crf, divisor = self._crf, np.float32(self.entity_temperature)
        return CRFDecoder(crf.transitions / divisor, crf.start / divisor, crf.end / divisor)

    def new_featuriser(self) -> Featuriser:
        """The network's."""
        return self._network.new_featuriser()

    def emissions(self, batch: Batch) -> Floats:
        """[batch, size, labels]."""
        place, self._place = self._place, self._place + 1
        if place == len(self._batches):
            self._batches.append(batch)
            self._emissions.append(self._network.emissions(batch))
        batch.memo[_PLACE] = place
        return self._emissions[place] / np.float32(self.entity_temperature)

    def pair_logits(self, batch: Batch, labels: Ints, spans: Spans, pairs: Pairs) -> Floats:
        """[pairs, classes]."""
        place = batch.memo[_PLACE]
        if place not in self._logits or not np.array_equal(self._logits[place][0], labels):
            # The first batch of this place has the network's memo.
            logits = self._network.pair_logits(self._batches[place], labels, spans, pairs)
            self._logits[place] = labels, logits
        logits = self._logits[place][1].copy()
        logits[:, NO_RELATION] += self.no_relation_bias
        logits /= self.relation_temperature
        return logits
