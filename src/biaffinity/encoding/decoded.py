"""What a network found in a batch, as arrays: one shape, and one way to decide, for every runtime."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from biaffinity.encoding.batches import Pairs
from biaffinity.encoding.labels import Spans
from biaffinity.encoding.vocabulary import NEGATIVE

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Decoded:
    """Entities with scores, and relations between them with scores."""

    spans: Spans
    span_scores: Floats
    pairs: Pairs
    pair_scores: Floats


def decide(
    spans: Spans, span_scores: Floats, pairs: Pairs, classes: Floats, *, entity_doubt: float
) -> Decoded:
    """The relations among candidate ``pairs``, from the scores of their ``classes`` [pairs, classes].

    A relation is right only if both its entities are. So doubt about them speaks for the class "no
    relation", as far as ``entity_doubt`` says; the score of what is found is its softmax probability.
    """
    shifted = classes - classes.max(axis=1, keepdims=True)
    if entity_doubt:
        doubt = -np.log(span_scores.clip(min=np.finfo(np.float32).tiny))
        compared = shifted.copy()
        compared[:, NEGATIVE] += entity_doubt * (doubt[pairs.head] + doubt[pairs.tail])
    else:
        compared = shifted
    relation = compared.argmax(axis=1)
    keep = relation != NEGATIVE
    found = Pairs(pairs.head[keep], pairs.tail[keep], relation[keep])
    exponents = np.exp(shifted[keep])
    best = exponents[np.arange(len(found)), found.relation] / exponents.sum(axis=1)
    return Decoded(spans, span_scores, found, best)
