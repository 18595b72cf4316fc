"""Token vectors in numpy: word embedding ∘ character vector (∘ boundary embedding).

The same numbers as `biaffinity.model.tokens`. Arrays of tokens are time-major, [size, batch, ...]:
whatever reads them goes through them step by step.
"""

from __future__ import annotations

import threading

import numpy as np

from biaffinity.encoding.batches import Batch
from biaffinity.encoding.decoded import Floats
from biaffinity.encoding.labels import BOUNDARIES, Ints
from biaffinity.extraction.weights import Weights
from biaffinity.model.config import ModelConfig
from biaffinity.model.description import Description

#: Word forms whose character vectors are kept, some 500 bytes each; beyond that it starts anew.
REMEMBERED = 50_000


class TokenVectors:
    """The vectors of a batch's tokens. ``part`` names their tensors: one network, or two in a pipeline."""

    def __init__(self, weights: Weights, part: str, description: Description) -> None:
        options, vocabulary, size = description.config.model, description.vocabulary, description.word_size
        self._trained = weights.tensor(f"{part}.words.trained", vocabulary.trained, size)
        # Both networks of a pipeline read the one table of unseen words, kept in half precision.
        self._unseen = weights.stored("tokens.words.unseen", len(vocabulary.unseen), size)
        self.width = size
        self._characters = None
        if options.characters:
            symbols = 4 + len(vocabulary.characters)
            self._characters = CharacterVectors(weights, f"{part}.characters", symbols, options)
            self.width += self._characters.width
        self._boundaries = None
        if options.setup == 2:
            shape = (BOUNDARIES, options.boundary_size)
            self._boundaries = weights.tensor(f"{part}.boundaries.weight", *shape)
            self.width += options.boundary_size

    def __call__(self, batch: Batch) -> Floats:
        """-> [size, batch, width]."""
        words = batch.words.T
        vectors = np.empty((*words.shape, self.width), dtype=np.float32)
        count, size = self._trained.shape
        vectors[:, :, :size] = self._trained[np.minimum(words, count - 1)]
        step, row = np.nonzero(words >= count)
        vectors[step, row, :size] = self._unseen[words[step, row] - count]
        if self._characters is not None:
            forms = self._characters(batch.characters, batch.character_lengths)
            vectors[:, :, size : size + self._characters.width] = forms[batch.form_index.T]
        if self._boundaries is not None:
            vectors[:, :, -self._boundaries.shape[1] :] = self._boundaries[batch.boundaries.T]
        return vectors


class CharacterVectors:
    """Vectors of word forms from their characters, each form read once and then remembered."""

    def __init__(self, weights: Weights, part: str, symbols: int, options: ModelConfig) -> None:
        embedding = weights.tensor(f"{part}.embedding.weight", symbols, options.character_size)
        self._ahead = _Reader(weights, f"{part}.ahead", embedding, options.character_hidden)
        self._back = (
            self._ahead
            if options.character_shared
            else _Reader(weights, f"{part}.back", embedding, options.character_hidden)
        )
        self.width = 2 * options.character_hidden
        self._rows: dict[bytes, int] = {}
        self._vectors = np.empty((0, self.width), dtype=np.float32)
        self._lock = threading.Lock()

    def __call__(self, characters: Ints, lengths: Ints) -> Floats:
        """[forms, longest] character numbers, padded with 0, and [forms] -> [forms, width]."""
        forms, longest = characters.shape
        # A spelling as bytes; this view drops the padding.
        spellings = characters.astype("<u4").view(f"S{4 * longest}").reshape(forms).tolist()
        with self._lock:
            if len(self._rows) > REMEMBERED:
                self._rows.clear()
            # Two forms have one spelling where they differ in unknown characters alone: one row for both.
            unread = {spelling: i for i, spelling in enumerate(spellings) if spelling not in self._rows}
            if unread:
                new = list(unread.values())
                self._remember(list(unread), self._read(characters[new], lengths[new]))
            return self._vectors[[self._rows[spelling] for spelling in spellings]]

    def _remember(self, spellings: list[bytes], vectors: Floats) -> None:
        first = len(self._rows)
        needed = first + len(spellings)
        if needed > len(self._vectors):
            grown = np.empty((max(needed, 2 * len(self._vectors)), self.width), dtype=np.float32)
            grown[:first] = self._vectors[:first]
            self._vectors = grown
        self._vectors[first:needed] = vectors
        self._rows.update(zip(spellings, range(first, needed), strict=True))

    def _read(self, characters: Ints, lengths: Ints) -> Floats:
        order = np.argsort(-lengths, kind="stable")
        characters, lengths = characters[order, : lengths.max()], lengths[order]
        turned = lengths[:, None] - 1 - np.arange(characters.shape[1])
        backwards = np.take_along_axis(characters, np.maximum(turned, 0), axis=1)
        vectors = np.empty((len(order), self.width), dtype=np.float32)
        vectors[order] = np.concatenate(
            [self._ahead(characters, lengths), self._back(backwards, lengths)], axis=1
        )
        return vectors


class _Reader:
    """The last state of a small LSTM over characters.

    The embedding and the input weights are one table, since characters are few. σ(x) is computed as
    (1 + tanh(x / 2)) / 2, so that one call of tanh does for all gates.
    """

    def __init__(self, weights: Weights, part: str, embedding: Floats, hidden: int) -> None:
        rows = 4 * hidden
        inputs = weights.tensor(f"{part}.weight_ih_l0", rows, embedding.shape[1])
        bias = weights.tensor(f"{part}.bias_ih_l0", rows) + weights.tensor(f"{part}.bias_hh_l0", rows)
        recurrent = weights.tensor(f"{part}.weight_hh_l0", rows, hidden)
        input_gate, forget_gate, cell, output_gate = np.arange(rows).reshape(4, hidden)
        order = np.concatenate([input_gate, forget_gate, output_gate, cell])
        half = np.repeat(np.array([0.5, 0.5, 0.5, 1], dtype=np.float32), hidden)
        self._inputs = (embedding @ inputs.T + bias)[:, order] * half
        self._recurrent = recurrent.T[:, order] * half
        self._hidden = hidden

    def __call__(self, characters: Ints, lengths: Ints) -> Floats:
        """[forms, longest], longest form first, and [forms] -> [forms, hidden]."""
        hidden = self._hidden
        state = np.zeros((len(lengths), hidden), dtype=np.float32)
        cell = np.zeros_like(state)
        for position in range(characters.shape[1]):
            going = np.searchsorted(-lengths, -position)  # those longer than that
            gates = np.tanh(self._inputs[characters[:going, position]] + state[:going] @ self._recurrent)
            opened = gates[:, : 3 * hidden]
            opened += 1
            opened *= 0.5
            write, keep, show = (opened[:, start : start + hidden] for start in range(0, 3 * hidden, hidden))
            cell[:going] = keep * cell[:going] + write * gates[:, 3 * hidden :]
            state[:going] = show * np.tanh(cell[:going])
        return state
