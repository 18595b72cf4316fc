"""Which candidate pairs are related, and how."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biaffinity.decoding.arrays import Floats, Ints
from biaffinity.decoding.candidates import Pairs
from biaffinity.decoding.labels import Spans
from biaffinity.decoding.schema import NO_RELATION


@dataclass(frozen=True, slots=True)
class Decoded:
    """What was found in a batch: entities with scores, and relations between them with scores."""

    spans: Spans
    span_scores: Floats
    pairs: Pairs
    #: The class of each pair, never `NO_RELATION`.
    relations: Ints
    relation_scores: Floats


def decide(
    spans: Spans,
    span_scores: Floats,
    pairs: Pairs,
    logits: Floats,
    *,
    entity_confidence_weight: float,
    several: bool = False,
) -> Decoded:
    """The relations among candidate ``pairs``, from their ``logits`` [pairs, classes].

    A relation is right only if both its entities are. So the less sure they are, the more speaks for "no
    relation": it is given minus the log of their probabilities, times ``entity_confidence_weight``. The
    score of what is found is its softmax probability. Where a pair may have ``several``, it has every
    relation that is ahead of "no relation", and scores are sigmoids of how far.
    """
    shifted = logits - logits.max(axis=1, keepdims=True, initial=-np.inf)
    compared = shifted
    if entity_confidence_weight:
        surprise = -np.log(span_scores.clip(min=np.finfo(np.float32).tiny))
        compared = shifted.copy()
        compared[:, NO_RELATION] += entity_confidence_weight * (surprise[pairs.head] + surprise[pairs.tail])
    if several:
        rows, found = np.nonzero(compared > compared[:, [NO_RELATION]])
        ahead = logits[rows, found] - logits[rows, NO_RELATION]
        chosen = Pairs(pairs.head[rows], pairs.tail[rows])
        return Decoded(spans, span_scores, chosen, found, 1 / (1 + np.exp(-ahead)))
    relations = compared.argmax(axis=1)
    keep = relations != NO_RELATION
    found, exponents = relations[keep], np.exp(shifted[keep])
    scores = exponents[np.arange(len(found)), found] / exponents.sum(axis=1)
    return Decoded(spans, span_scores, pairs[keep], found, scores)
