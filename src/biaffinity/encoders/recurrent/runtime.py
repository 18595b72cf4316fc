"""The recurrent encoder without PyTorch: words are looked up, characters read by the exported graph."""

from __future__ import annotations

import numpy as np

from biaffinity.decoding.arrays import Floats
from biaffinity.decoding.network import Batch
from biaffinity.encoders.character_vectors import CharacterVectors, characters_graph
from biaffinity.encoders.parts import ModelParts
from biaffinity.encoders.recurrent.featuriser import RecurrentFeaturiser, read_vocabulary
from biaffinity.encoders.recurrent.settings import RecurrentSettings


class RecurrentRuntime:
    """Token vectors of a batch; threads may share it. ``name`` is that of its tensors and graphs."""

    def __init__(self, parts: ModelParts, name: str, settings: RecurrentSettings) -> None:
        self._settings = settings
        self._vocabulary = vocabulary = read_vocabulary(parts.folder)
        size = vocabulary.word_size
        self._trained = parts.rows(f"{name}.words.trained", vocabulary.trained, size)
        # Both networks of a pipeline read the one table of unseen words.
        self._unseen = parts.rows("encoder.words.unseen", len(vocabulary.unseen), size)
        self.width = size
        self._characters = None
        if settings.characters:
            hidden = settings.character_hidden
            graph = characters_graph(parts, name, settings.character_size, hidden)
            self._characters = CharacterVectors(graph, 2 * hidden)
            self.width += self._characters.width

    def new_featuriser(self) -> RecurrentFeaturiser:
        """A featuriser that has met no token yet."""
        return RecurrentFeaturiser(self._settings, self._vocabulary)

    def __call__(self, batch: Batch) -> Floats:
        """-> [batch, size, width]."""
        features, words = batch.features, batch.features["words"]
        vectors = np.empty((*words.shape, self.width), dtype=np.float32)
        count, size = len(self._trained), self._vocabulary.word_size
        vectors[:, :, :size] = self._trained[np.minimum(words, count - 1)]
        row, step = np.nonzero(words >= count)
        vectors[row, step, :size] = self._unseen[words[row, step] - count]
        if self._characters is not None:
            forms = self._characters(features["characters"], features["character_lengths"])
            vectors[:, :, size:] = forms[features["form_index"]]
        return vectors
