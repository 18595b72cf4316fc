"""How readily a model sees a relation: the bias of "no relation", fitted on sentences it has not seen.

A classifier that was trained where relations are rare sees too few of them for the best F1. One number taken
off the score of "no relation" moves the balance (the correction for prior probabilities of Saerens et al.
2002, with the F1 of held-out sentences in place of known priors). It is done in the weights, so that no
runtime has to know of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torch import Tensor

from biaffinity.annotation import Sentence
from biaffinity.encoding.vocabulary import NEGATIVE
from biaffinity.model.joint import JointModel
from biaffinity.model.prediction import predict
from biaffinity.scoring import score

BIAS = "relations.biaffine.bias"
#: What is tried: from -1 to 3 in quarters, the smallest changes first.
TRIED = tuple(sorted((step / 4 for step in range(-4, 13)), key=abs))


def with_null_bias(tensors: Mapping[str, Tensor], amount: float) -> dict[str, Tensor]:
    """A model's tensors with ``amount`` taken off the score of "no relation"."""
    bias = tensors[BIAS].clone()
    bias[NEGATIVE] -= amount
    return {**tensors, BIAS: bias}


def fit_null_bias(model: JointModel, sentences: Sequence[Sentence]) -> float:
    """The amount under which the strict macro F1 of relations is best, and the smallest of such.

    The model is left as it was.
    """
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    found: dict[float, float] = {}
    try:
        for amount in TRIED:
            model.load_state_dict(with_null_bias(before, amount))
            sheet = score(sentences, predict(model, sentences, scores=False))
            found[amount] = sheet["re", "strict", "macro"].f1
    finally:
        model.load_state_dict(before)
    return max(found, key=found.__getitem__)
