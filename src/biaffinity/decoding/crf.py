"""A linear-chain CRF for decoding: the best labelling, and the probability of spans under all of them.

The same scores as `biaffinity.layers.crf`, which is what training needs of it. Arrays come and go as
[batch, size, ...]; inside they are turned to [size, batch, ...], since all goes through them step by step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biaffinity.decoding.arrays import Bools, Doubles, Floats, Ints
from biaffinity.decoding.labels import Spans

#: The score of what is not allowed, as in training.
FORBIDDEN = np.float32(-1e4)


@dataclass(frozen=True, slots=True)
class Posterior:
    """Forward and backward probabilities, scaled at each step so that their product is a marginal.

    ``forward``, ``backward``: [size, batch, labels]; ``level``: [size, batch], log of the summed
    scores of all prefixes. Values at padding mean nothing.
    """

    forward: Doubles
    backward: Doubles
    level: Doubles


class CRFDecoder:
    """Scores of neighbouring labels [labels, labels] and of the first and the last one [labels].

    ``allowed`` tells which of the three are legal (`Labels.allowed`); any other scores so low that its
    probability is zero.
    """

    def __init__(
        self,
        transitions: Floats,
        start: Floats,
        end: Floats,
        allowed: tuple[Bools, Bools, Bools] | None = None,
    ) -> None:
        if allowed is not None:
            transitions, start, end = (
                score + np.where(legal, np.float32(0), FORBIDDEN)
                for score, legal in zip((transitions, start, end), allowed, strict=True)
            )
        self.transitions = transitions
        self.start = start
        self.end = end

    @classmethod
    def without_transitions(
        cls, labels: int, allowed: tuple[Bools, Bools, Bools] | None = None
    ) -> CRFDecoder:
        """That of a softmax tagger: labels do not know their neighbours."""
        none = np.zeros(labels, dtype=np.float32)
        return cls(np.zeros((labels, labels), dtype=np.float32), none, none, allowed)

    def viterbi(self, emissions: Floats, lengths: Ints) -> Ints:
        """The best labelling of each sequence, [batch, size]; padding holds label 0."""
        steps, shortest = by_time(emissions), lengths.min()
        # [from, batch, onto]: the maximum over what comes first is a maximum of long rows.
        onto = self.transitions[:, None, :]
        scores = np.empty_like(steps)
        score = scores[0] = self.start + steps[0]
        for position in range(1, len(steps)):
            best = (score.T[:, :, None] + onto).max(axis=0) + steps[position]
            if position >= shortest:
                best = np.where((lengths > position)[:, None], best, score)
            score = scores[position] = best
        # Only the best predecessor of the labels on the way back is of interest.
        into = np.ascontiguousarray(self.transitions.T)
        labels = np.empty(steps.shape[:2], dtype=np.int64)
        label = labels[-1] = (score + self.end).argmax(axis=1)
        for position in range(len(steps) - 1, 0, -1):
            before = (scores[position - 1] + into[label]).argmax(axis=1)
            if position >= shortest:
                before = np.where(lengths > position, before, label)
            label = labels[position - 1] = before
        labels[np.arange(len(labels))[:, None] >= lengths] = 0
        return labels.T

    def posterior(self, emissions: Floats, lengths: Ints) -> Posterior:
        """Forward-backward in probabilities (Rabiner 1989, V.A), in double precision."""
        steps, shortest = by_time(emissions), lengths.min()
        shift = steps.max(axis=2, keepdims=True)
        likelihood = np.exp((steps - shift).astype(np.float64))
        step = np.exp(self.transitions.astype(np.float64))
        end = np.exp(self.end.astype(np.float64))
        forward = np.empty_like(likelihood)
        scale = np.empty((*likelihood.shape[:2], 1))
        state = np.exp(self.start.astype(np.float64))
        for position, observed in enumerate(likelihood):
            state = (state @ step if position else state) * observed
            scale[position] = state.sum(axis=1, keepdims=True)
            state = forward[position] = state / scale[position]
        likelihood /= scale
        level = (np.log(scale) + shift)[:, :, 0].cumsum(axis=0)
        last = forward[lengths - 1, np.arange(len(lengths))] @ end
        final = end / last[:, None]
        backward = np.empty_like(likelihood)
        state = backward[-1] = final
        back = step.T
        for position in range(len(likelihood) - 1, 0, -1):
            before = (likelihood[position] * state) @ back
            if position >= shortest:
                before = np.where((lengths > position)[:, None], before, final)
            state = backward[position - 1] = before
        return Posterior(forward, backward, level)

    def span_scores(self, emissions: Floats, lengths: Ints, labels: Ints, spans: Spans) -> Floats:
        """The probability that spans carry just the labels they were given, [spans].

        Under BILOU labels that is the probability of this very entity.
        """
        turned, labels = by_time(emissions), labels.T
        with np.errstate(divide="ignore", invalid="ignore"):
            found = self.posterior(emissions, lengths)
            steps = np.take_along_axis(turned, labels[:, :, None], axis=2)[:, :, 0].astype(np.float64)
            steps[1:] += self.transitions[labels[:-1], labels[1:]]
            # The score of a labelling up to each token, less what all labellings score up to there.
            paths = steps.cumsum(axis=0) - found.level
            first, last = (spans.start, spans.sentence), (spans.end - 1, spans.sentence)
            before = np.log(found.forward[(*first, labels[first])])
            after = np.log(found.backward[(*last, labels[last])])
            scores = np.exp(before + (paths[last] - paths[first]) + after)
        return np.minimum(scores, 1).astype(np.float32)

    def types_within(self, emissions: Floats, lengths: Ints, boundaries: Ints) -> Ints:
        """The one type of each given span whose log marginals over its tokens sum highest.

        ``boundaries`` [batch, size]; labels that are plain types -> [batch, size].
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            found = self.posterior(emissions, lengths)
        marginals = np.log(np.maximum((found.forward * found.backward)[:, :, 1:].astype(np.float32), 1e-30))
        given = boundaries.T
        inside = given > 0
        span = ((given == 1) | (given == 4)).cumsum(axis=0)  # B and U begin a span
        column = np.broadcast_to(np.arange(len(lengths)), span.shape)
        totals = np.zeros((len(span) + 1, *marginals.shape[1:]), dtype=np.float32)
        np.add.at(totals, (span[inside], column[inside]), marginals[inside])
        best = 1 + totals.argmax(axis=2)
        return np.where(inside, best[span, column], 0).T


def by_time(values: Floats) -> Floats:
    """[batch, size, ...] -> [size, batch, ...]."""
    return np.ascontiguousarray(values.swapaxes(0, 1))
