"""The linear-chain CRF of `biaffinity.layers.crf` in numpy, for decoding only.

Arrays are time-major: emissions [size, batch, labels], labellings [size, batch].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from biaffinity.encoding.decoded import Floats
from biaffinity.encoding.labels import Ints, Labels, Spans
from biaffinity.extraction.weights import Weights
from biaffinity.model.config import ModelConfig

Doubles = npt.NDArray[np.float64]

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


class Chain:
    """Scores of neighbouring labels and of the first and the last one."""

    def __init__(self, transitions: Floats, start: Floats, end: Floats) -> None:
        self.transitions = transitions
        self.start = start
        self.end = end

    @classmethod
    def of(cls, weights: Weights, options: ModelConfig, labels: Labels) -> Chain:
        """The chain of a model; what is forbidden scores so low that its probability is zero."""
        count = len(labels)
        shapes = {"transitions": (count, count), "start": (count,), "end": (count,)}
        if options.tagger == "crf":
            scores = [weights.tensor(f"tagger.crf.{name}", *shape) for name, shape in shapes.items()]
        else:
            scores = [np.zeros(shape, dtype=np.float32) for shape in shapes.values()]
        if options.constrained:
            allowed = labels.allowed()
            scores = [score + np.where(may, 0, FORBIDDEN) for score, may in zip(scores, allowed, strict=True)]
        return cls(*scores)

    def viterbi(self, emissions: Floats, lengths: Ints) -> Ints:
        """The best labelling of each sequence; padding holds label 0."""
        scores = np.empty_like(emissions)
        score = scores[0] = self.start + emissions[0]
        for position in range(1, len(emissions)):
            best = (score[:, :, None] + self.transitions).max(axis=1) + emissions[position]
            score = scores[position] = np.where((lengths > position)[:, None], best, score)
        # Only the best predecessor of the labels on the way back is of interest.
        into = np.ascontiguousarray(self.transitions.T)
        labels = np.empty(emissions.shape[:2], dtype=np.int64)
        label = labels[-1] = (score + self.end).argmax(axis=1)
        for position in range(len(emissions) - 1, 0, -1):
            before = (scores[position - 1] + into[label]).argmax(axis=1)
            label = labels[position - 1] = np.where(lengths > position, before, label)
        labels[np.arange(len(labels))[:, None] >= lengths] = 0
        return labels

    def posterior(self, emissions: Floats, lengths: Ints) -> Posterior:
        """Forward-backward in probabilities (Rabiner 1989, V.A), in double precision."""
        shift = emissions.max(axis=2, keepdims=True)
        likelihood = np.exp((emissions - shift).astype(np.float64))
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
            state = backward[position - 1] = np.where((lengths > position)[:, None], before, final)
        return Posterior(forward, backward, level)

    def span_scores(self, emissions: Floats, lengths: Ints, labels: Ints, spans: Spans) -> Floats:
        """The probability that spans carry just the labels they were given, [spans]."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found = self.posterior(emissions, lengths)
            steps = np.take_along_axis(emissions, labels[:, :, None], axis=2)[:, :, 0].astype(np.float64)
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

        ``boundaries`` [size, batch]; labels that are plain types -> [size, batch].
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            found = self.posterior(emissions, lengths)
        marginals = np.log(np.maximum((found.forward * found.backward)[:, :, 1:].astype(np.float32), 1e-30))
        inside = boundaries > 0
        span = ((boundaries == 1) | (boundaries == 4)).cumsum(axis=0)  # B and U begin a span
        column = np.broadcast_to(np.arange(len(lengths)), span.shape)
        totals = np.zeros((len(span) + 1, *marginals.shape[1:]), dtype=np.float32)
        np.add.at(totals, (span[inside], column[inside]), marginals[inside])
        best = 1 + totals.argmax(axis=2)
        return np.where(inside, best[span, column], 0)
