"""Entities and relations of a batch, from the two functions of a network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from biaffinity.decoding.arrays import Bools, Floats, Ints
from biaffinity.decoding.candidates import candidates
from biaffinity.decoding.crf import FORBIDDEN, CRFDecoder
from biaffinity.decoding.decision import Decoded, decide
from biaffinity.decoding.likely import likely_spans
from biaffinity.decoding.network import Batch, Description, Network

#: Is told how many entities each sentence of a batch has, before their pairs are looked at, and then how many
#: relations; it may raise.
Check = Callable[[Literal["entities", "relations"], Ints], None]


def decode(
    network: Network,
    batch: Batch,
    *,
    scores: bool = True,
    allowed: Bools | None = None,
    floors: Floats | None = None,
    check: Check | None = None,
) -> Decoded:
    """The entities and relations that a network sees in a batch.

    Without ``scores`` those of entities are left at 1 where nothing depends on them. ``allowed`` [batch,
    size, labels] tells which labels each token may have, where that is known beforehand (entities that a
    user gives). ``floors`` [batch, classes] are least scores of relations, in place of the decision (see
    `decide`). ``check`` can stop what would be too much: pairs are as many as entities, squared.
    """
    known = network.description
    emissions = network.emissions(batch)
    if allowed is not None:
        emissions = np.where(allowed, emissions, FORBIDDEN)
    if known.entity_threshold:
        required = None if allowed is None else ~allowed[:, :, 0]
        spans, span_scores = likely_spans(
            network.crf, emissions, batch.lengths, known.entity_threshold, required
        )
        labels = known.labels.spell(spans, batch.lengths)
    else:
        labels, emissions = best_labelling(known, network.crf, emissions, batch)
        spans = known.labels.decode(labels, batch.lengths, batch.boundaries)
        span_scores = np.ones(len(spans), dtype=np.float32)
        if (scores or known.entity_confidence_weight) and len(spans):
            span_scores = network.crf.span_scores(emissions, batch.lengths, labels, spans)
    if check is not None:
        check("entities", np.bincount(spans.sentence, minlength=len(batch.lengths)))
    pairs = candidates(spans, known.related)
    logits = (
        network.pair_logits(batch, labels, spans, pairs)
        if len(pairs)
        else np.zeros((0, known.schema.classes), dtype=np.float32)
    )
    found = decide(
        spans,
        span_scores,
        pairs,
        logits,
        entity_confidence_weight=known.entity_confidence_weight,
        floors=floors,
        several=known.several_relations,
    )
    if check is not None:
        check("relations", np.bincount(spans.sentence[found.pairs.head], minlength=len(batch.lengths)))
    return found


def best_labelling(
    known: Description, crf: CRFDecoder, emissions: Floats, batch: Batch
) -> tuple[Ints, Floats]:
    """The labelling of each sentence [batch, size], and the emissions less what boundaries forbid."""
    if not known.within_boundaries or batch.boundaries is None:
        return crf.viterbi(emissions, batch.lengths), emissions
    emissions = np.where(known.labels.within(batch.boundaries), emissions, FORBIDDEN)
    return crf.types_within(emissions, batch.lengths, batch.boundaries), emissions
