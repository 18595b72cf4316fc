"""Entities by their own probability, under all labellings, in place of those of the single best one.

The best labelling of a sentence need not hold its likeliest entities, nor only likely ones: it is one of very
many. F1 is expected to be highest where just those entities are named whose probability is at least half of
what that F1 will be (Lipton et al. 2014, "Optimal thresholding of classifiers to maximize F1 measure").
"""

from __future__ import annotations

from itertools import groupby

import numpy as np

from biaffinity.decoding.arrays import Bools, Doubles, Floats, Ints
from biaffinity.decoding.crf import CRFDecoder, Posterior, by_time
from biaffinity.decoding.labels import BEGIN, INSIDE, LAST, UNIT, Spans


def likely_spans(
    crf: CRFDecoder, emissions: Floats, lengths: Ints, least: float, required: Bools | None
) -> tuple[Spans, Floats]:
    """The spans whose probability is at least ``least``, and these; of some that overlap, the likelier.

    Labels are BILOU. Where a token must lie in an entity, as ``required`` [batch, size] tells, the likeliest
    is found, however likely it is.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        found = crf.posterior(emissions, lengths)
        marginals = found.forward * found.backward
        marginals[np.arange(len(marginals))[:, None] >= lengths] = 0
        floors = np.full(marginals.shape[:2], least)
        if required is not None:
            floors[required.T] = np.finfo(np.float64).tiny
        likely = marginals >= floors[:, :, None]
        single = _single(likely, marginals)
        several = _several(crf, by_time(emissions), found, likely)
    start, end, sentence, type_, scores = (np.concatenate(both) for both in zip(single, several, strict=True))
    kept = scores >= floors[start, sentence]
    order = np.lexsort((start[kept], sentence[kept]))
    columns = (column[kept][order] for column in (sentence, start, end, type_))
    spans, scores = Spans(*columns), np.minimum(scores[kept][order], 1).astype(np.float32)
    apart = _apart(spans, scores)
    return spans[apart], scores[apart]


Candidates = tuple[Ints, Ints, Ints, Ints, Doubles]


def _single(likely: Bools, marginals: Doubles) -> Candidates:
    """Entities of one token: start, end, sentence, type and probability of each."""
    start, sentence, type_ = likely[:, :, 1 + UNIT :: 4].nonzero()
    return start, start + 1, sentence, type_, marginals[start, sentence, 1 + UNIT + 4 * type_]


def _several(crf: CRFDecoder, steps: Floats, found: Posterior, likely: Bools) -> Candidates:
    """Entities of several tokens.

    Each of its labels is at least as likely as an entity: from where one may begin, only the ends up to the
    first token are looked at that is not likely inside of one.
    """
    size, _, count = steps.shape
    begins = likely[:, :, 1 + BEGIN :: 4].transpose(1, 2, 0)
    ends = likely[:, :, 1 + LAST :: 4].transpose(1, 2, 0)
    goes_on = likely[:, :, 1 + INSIDE :: 4].transpose(1, 2, 0)
    # Where the run of tokens inside an entity that begins here is over: the last place of an end.
    stop = np.where(goes_on, size - 1, np.arange(size))
    stop = np.minimum.accumulate(stop[:, :, ::-1], axis=2)[:, :, ::-1]
    sentence, type_, first = begins.nonzero()
    row = (sentence * begins.shape[1] + type_) * size
    places = np.flatnonzero(ends)
    low = np.searchsorted(places, row + first, side="right")
    until = stop[sentence, type_, np.minimum(first + 1, size - 1)]
    high = np.searchsorted(places, row + until, side="right")
    partners = np.maximum(high - low, 0)
    chosen = np.repeat(np.arange(len(first)), partners)
    block = np.cumsum(partners) - partners
    last = places[np.arange(len(chosen)) - block[chosen] + low[chosen]] - row[chosen]
    sentence, type_, first = sentence[chosen], type_[chosen], first[chosen]
    begin, inside, end = (1 + 4 * type_ + kind for kind in (BEGIN, INSIDE, LAST))
    # The score of a labelling that is inside all the way, up to each token.
    within = crf.transitions[1 + INSIDE : count : 4, 1 + INSIDE : count : 4].diagonal()
    paths = (steps[:, :, 1 + INSIDE :: 4].astype(np.float64) + within).cumsum(axis=0)
    before = last - 1
    middle = paths[before, sentence, type_] - paths[first, sentence, type_]
    entering = np.where(
        before > first,
        crf.transitions[begin, inside] - crf.transitions[inside, inside] + crf.transitions[inside, end],
        crf.transitions[begin, end],
    )
    levels = found.level[last, sentence] - found.level[first, sentence]
    path = middle + entering + steps[last, sentence, end] - levels
    scores = np.exp(
        np.log(found.forward[first, sentence, begin]) + path + np.log(found.backward[last, sentence, end])
    )
    return first, last + 1, sentence, type_, scores


def _apart(spans: Spans, scores: Floats) -> Ints:
    """The numbers of spans that stay where some overlap: the likelier first."""
    everything = np.arange(len(spans))
    same = spans.sentence[1:] == spans.sentence[:-1]
    if not (same & (spans.start[1:] < spans.end[:-1])).any():
        return everything
    kept = []
    for _, group in groupby(everything.tolist(), key=lambda number: spans.sentence[number]):
        own: list[int] = []
        for number in sorted(group, key=lambda number: -scores[number]):
            if all(spans.end[number] <= spans.start[o] or spans.end[o] <= spans.start[number] for o in own):
                own.append(number)
        kept += sorted(own)
    return np.array(kept, dtype=np.int64)
