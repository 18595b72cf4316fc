"""The relation scores of `biaffinity.model.relations` in numpy: projections, biaffine, context.

States are time-major: [size, batch, 2 * hidden].
"""

from __future__ import annotations

import numpy as np

from biaffinity.encoding.batches import Pairs
from biaffinity.encoding.decoded import Floats
from biaffinity.encoding.labels import Ints, Spans
from biaffinity.extraction.weights import Weights
from biaffinity.model.config import ModelConfig

#: Pairs scored at a time: what a sentence with thousands of entities needs stays small.
BLOCK = 4096


class PairScores:
    """Scores of every relation class for pairs of entities; an entity is known by its last token."""

    def __init__(self, weights: Weights, options: ModelConfig, classes: int) -> None:
        width, size = 2 * options.lstm_hidden, options.projection
        self._head = _Projection(weights, "relations.head", width, size)
        self._tail = _Projection(weights, "relations.tail", width, size)
        self._bias = weights.tensor("relations.biaffine.bias", classes)
        self._bilinear = self._linear = None
        if options.bilinear:
            bilinear = weights.tensor("relations.biaffine.bilinear", classes, size, size)
            self._bilinear = bilinear.transpose(1, 0, 2).reshape(size, classes * size)
        if options.linear:
            self._linear = weights.tensor("relations.biaffine.linear", classes, 2 * size).T
        self._context = None
        if options.context:
            self._context = _Projection(weights, "relations.context", width, size)
            self._context_output = weights.tensor("relations.context_output.weight", classes, size).T

    def __call__(self, states: Floats, spans: Spans, pairs: Pairs) -> Floats:
        """-> [pairs, classes]."""
        classes, size = len(self._bias), self._head.size
        last = states[spans.end - 1, spans.sentence]
        heads, tails = self._head(last), self._tail(last)
        scores = np.broadcast_to(self._bias, (len(pairs), classes)).copy()
        if self._linear is not None:
            scores += (heads @ self._linear[:size])[pairs.head] + (tails @ self._linear[size:])[pairs.tail]
        # What all pairs of one head have in common is computed once for it.
        left = (heads @ self._bilinear).reshape(-1, classes, size) if self._bilinear is not None else None
        maxima = RangeMaxima(self._context(states)) if self._context is not None else None
        for start in range(0, len(pairs), BLOCK):
            block = slice(start, start + BLOCK)
            head, tail = pairs.head[block], pairs.tail[block]
            if left is not None:
                scores[block] += (left[head] @ tails[tail][:, :, None])[:, :, 0]
            if maxima is not None:
                after = np.minimum(spans.end[head], spans.end[tail])
                before = np.maximum(spans.start[head], spans.start[tail])
                scores[block] += maxima(spans.sentence[head], after, before) @ self._context_output
        return scores


class _Projection:
    def __init__(self, weights: Weights, part: str, width: int, size: int) -> None:
        self.size = size
        self._weight = weights.tensor(f"{part}.weight", size, width).T
        self._bias = weights.tensor(f"{part}.bias", size)

    def __call__(self, states: Floats) -> Floats:
        projected: Floats = np.tanh(states @ self._weight + self._bias)
        return projected


class RangeMaxima:
    """Element-wise maxima of [size, batch, width] over ranges, as `biaffinity.layers.ranges` has them."""

    def __init__(self, values: Floats) -> None:
        self._levels = [values]

    def __call__(self, column: Ints, start: Ints, end: Ints) -> Floats:
        """Range r covers ``values[start[r]:end[r], column[r]]`` -> [ranges, width]; zero if it is empty."""
        length = end - start
        level = np.frexp(length.clip(min=0))[1] - 1  # of the largest power of two within; -1 if empty
        maxima = np.zeros((len(length), self._levels[0].shape[2]), dtype=np.float32)
        for number in range(int(level.max(initial=-1)) + 1):
            here = np.nonzero(level == number)[0]
            values, of = self._level(number), column[here]
            maxima[here] = np.maximum(values[start[here], of], values[end[here] - 2**number, of])
        return maxima

    def _level(self, number: int) -> Floats:
        """Maxima over 2 ** number values from each position on; wrong where fewer are left."""
        while len(self._levels) <= number:
            step, below = 2 ** (len(self._levels) - 1), self._levels[-1]
            longer = below.copy()
            np.maximum(below[:-step], below[step:], out=longer[:-step])
            self._levels.append(longer)
        return self._levels[number]
