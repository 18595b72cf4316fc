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
    floors: Floats | None = None,
    several: bool = False,
) -> Decoded:
    """The relations among candidate ``pairs``, from their ``logits`` [pairs, classes].

    A relation is right only if both its entities are. So its score is its softmax probability times theirs;
    and the less sure they are, the more speaks for "no relation": it is given minus the log of their
    probabilities, times ``entity_confidence_weight``. Of each pair the best class is found. Where a pair may
    have ``several``, every class that is ahead of "no relation" is, and the sigmoid of how far takes the
    place of the softmax. Of a class that has a floor, in ``floors`` [sentences, classes], whatever scores as
    much is found, be it the best or not, so that any pair may have several. An infinite floor is none.
    """
    shifted = logits - logits.max(axis=1, keepdims=True, initial=-np.inf)
    compared = shifted
    if entity_confidence_weight:
        surprise = -np.log(span_scores.clip(min=np.finfo(np.float32).tiny))
        compared = shifted.copy()
        compared[:, NO_RELATION] += entity_confidence_weight * (surprise[pairs.head] + surprise[pairs.tail])
    if several:
        found = compared > compared[:, [NO_RELATION]]
        # The sigmoid as a tangent: however far apart scores are, nothing overflows.
        probabilities = (1 + np.tanh((logits - logits[:, [NO_RELATION]]) / 2)) / 2
    else:
        found = np.arange(logits.shape[1]) == compared.argmax(axis=1)[:, None]
        exponents = np.exp(shifted)
        probabilities = exponents / exponents.sum(axis=1, keepdims=True)
    scores = probabilities * (span_scores[pairs.head] * span_scores[pairs.tail])[:, None]
    if floors is not None:
        own = floors[spans.sentence[pairs.head]]
        found = np.where(np.isinf(own), found, scores >= own)
    found[:, NO_RELATION] = False
    chosen, relations = found.nonzero()
    return Decoded(spans, span_scores, pairs[chosen], relations, scores[chosen, relations])
