"""Scores that mean what they say: temperatures, fitted on sentences that training did not see.

A network that is trained to the end is surer than it is right. Its last scores divided by one number, the
temperature (Guo et al. 2017), give the same entities and relations with humbler probabilities: neither the
best labelling of the CRF nor the best class of a pair changes. The division is done in the weights, so that
no runtime has to know of it.

Where doubt about entities counts against relations (`ModelConfig.entity_doubt`), it must be divided like the
relations' scores; it is then a doubt of humbler probabilities, and a relation on the border may come or go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torch import Tensor

from biaffinity.annotation import Sentence
from biaffinity.model.config import Config
from biaffinity.model.joint import JointModel
from biaffinity.model.prediction import predict
from biaffinity.scoring.calibration import calibrate, judge

#: The tensors that scores are linear in, by how their names begin.
LAST = {
    "entities": ("tagger.output.", "tagger.crf."),
    "relations": ("relations.biaffine.", "relations.context_output."),
}
#: What is tried: from 0.6 to 6 in steps of a twentieth.
TRIED = tuple(0.6 * 1.05**step for step in range(48))

Temperatures = Mapping[str, float]


def divided(tensors: Mapping[str, Tensor], temperatures: Temperatures) -> dict[str, Tensor]:
    """A model's tensors with the scores of entities and of relations divided by their temperatures."""
    result = dict(tensors)
    for kind, temperature in temperatures.items():
        for name in tensors:
            if name.startswith(LAST[kind]):
                result[name] = tensors[name] / temperature
    return result


def with_entity_doubt(config: Config, doubt: float) -> Config:
    """The same config with another ``entity_doubt``."""
    return config.model_copy(update={"model": config.model.model_copy(update={"entity_doubt": doubt})})


def fit_temperatures(model: JointModel, sentences: Sequence[Sentence]) -> dict[str, float]:
    """The temperatures under which what the model finds in the sentences is least surprising.

    The model is left as it was. Doubt about entities is set aside: then what is found is the same under all
    of them, and the one has no bearing on the other, so both are tried at one time.
    """
    config, before = model.config, {name: tensor.clone() for name, tensor in model.state_dict().items()}
    losses: dict[str, dict[float, float]] = {kind: {} for kind in LAST}
    try:
        model.config = with_entity_doubt(config, 0.0)
        for temperature in TRIED:
            model.load_state_dict(divided(before, dict.fromkeys(LAST, temperature)))
            judged = judge(sentences, predict(model, sentences))
            for kind in LAST:
                losses[kind][temperature] = calibrate(getattr(judged, kind)).log_loss
    finally:
        model.config = config
        model.load_state_dict(before)
    return {kind: min(tried, key=tried.__getitem__) for kind, tried in losses.items()}
