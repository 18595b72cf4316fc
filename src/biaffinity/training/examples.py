"""The training sentences as arrays: each is featurised once, a batch is put together from those."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from biaffinity.annotation import Sentence
from biaffinity.decoding.arrays import padded
from biaffinity.decoding.network import Batch
from biaffinity.decoding.prediction import given_boundaries
from biaffinity.model.gold import Gold, gold_batch, gold_sentence
from biaffinity.model.joint import JointModel


class Examples:
    """Sentences with their annotation, as a model reads them."""

    def __init__(self, model: JointModel, sentences: Sequence[Sentence]) -> None:
        self._known = model.description
        self._featuriser = model.encoder.new_featuriser()
        self._features = [self._featuriser.featurise(sentence.tokens) for sentence in sentences]
        self._gold = [gold_sentence(sentence, self._known) for sentence in sentences]
        given = self._known.boundaries == "given"
        self._boundaries = [given_boundaries(sentence) for sentence in sentences] if given else None

    def batch(self, rows: Iterable[int]) -> tuple[Batch, Gold]:
        """Some of the sentences, and what is to be found in them."""
        rows = list(rows)
        gold = [self._gold[row] for row in rows]
        lengths = np.array([len(own.labels) for own in gold], dtype=np.int64)
        boundaries = None
        if self._boundaries is not None:
            boundaries = padded(np.concatenate([self._boundaries[row] for row in rows]), lengths)
        features = self._featuriser.collate([self._features[row] for row in rows])
        return Batch(features, lengths, boundaries), gold_batch(gold, self._known)


class Upcoming:
    """Batches of sentences in an order; one can be put together while a GPU is busy with that before it."""

    def __init__(self, examples: Examples, order: Iterable[Iterable[int]]) -> None:
        self._batches = map(examples.batch, order)
        self._ready: tuple[Batch, Gold] | None = None

    def prepare(self) -> None:
        """Put the next one together, if there is one."""
        if self._ready is None:
            self._ready = next(self._batches, None)

    def take(self) -> tuple[Batch, Gold]:
        """The next one."""
        self.prepare()
        ready, self._ready = self._ready, None
        if ready is None:
            raise IndexError("no batch is left")
        return ready
