"""Vectors of words from their characters without PyTorch: the exported graph, and a memory of its results."""

from __future__ import annotations

import threading

import numpy as np

from biaffinity.decoding.arrays import Floats, Ints
from biaffinity.encoders.parts import Graph, ModelParts
from biaffinity.graphs.judge import Axes, Signature

#: Word forms whose character vectors are kept, some 500 bytes each; beyond that it starts anew.
REMEMBERED = 50_000
#: The graph that reads characters is called so, after the encoder's own name.
CHARACTERS = "characters"


def characters_graph(parts: ModelParts, name: str, size: int, hidden: int) -> Graph:
    """The graph of the encoder ``name``, by the widths of an embedding and of a direction of the LSTM."""
    parts.require(f"{name}.{CHARACTERS}.ahead.weight_ih_l0", 4 * hidden, size)
    inputs: dict[str, Axes] = {"characters": ("forms", "size"), "lengths": ("forms",)}
    signature = Signature(inputs, ("forms", 2 * hidden), max(size, 2 * hidden))
    return parts.graph(f"{name}.{CHARACTERS}", signature)


class CharacterVectors:
    """Vectors of word forms from their characters, each form read once and then remembered."""

    def __init__(self, graph: Graph, width: int) -> None:
        self._graph = graph
        self.width = width
        self._rows: dict[bytes, int] = {}
        self._vectors = np.empty((0, width), dtype=np.float32)
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
                feeds = {"characters": characters[new, : lengths[new].max()], "lengths": lengths[new]}
                self._remember(list(unread), self._graph(feeds))
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
