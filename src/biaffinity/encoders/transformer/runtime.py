"""The transformer encoder without PyTorch: pieces by ``tokenizers``, the network by its exported graph."""

from __future__ import annotations

import numpy as np

from biaffinity.decoding.arrays import Floats
from biaffinity.decoding.network import Batch
from biaffinity.encoders.character_vectors import CHARACTERS, CharacterVectors
from biaffinity.encoders.parts import ModelParts
from biaffinity.encoders.transformer.featuriser import TransformerFeaturiser
from biaffinity.encoders.transformer.identity import TOKENIZER, Identity
from biaffinity.encoders.transformer.pieces import WordPieces
from biaffinity.encoders.transformer.settings import TransformerSettings

#: The graph that reads pieces is called so, after the encoder's own name.
WORDS = "words"


class TransformerRuntime:
    """Token vectors of a batch; threads may share it. ``name`` is that of its graphs."""

    def __init__(self, parts: ModelParts, name: str, settings: TransformerSettings) -> None:
        self._identity = Identity.read(parts.folder)
        self._pieces = WordPieces.read(parts.folder / TOKENIZER, self._identity.limit)
        self._words = parts.graph(f"{name}.{WORDS}")
        self._inputs = word_inputs(settings)
        self._characters = None
        if settings.characters:
            graph = parts.graph(f"{name}.{CHARACTERS}")
            self._characters = CharacterVectors(graph, 2 * settings.character_hidden)

    def new_featuriser(self) -> TransformerFeaturiser:
        """A featuriser that has met no token yet."""
        return self._identity.featuriser(self._pieces)

    def __call__(self, batch: Batch) -> Floats:
        """-> [batch, size, width]."""
        features = batch.features
        words = self._words({name: features[name] for name in self._inputs})
        if self._characters is None:
            return words
        forms = self._characters(features["characters"], features["character_lengths"])
        return np.concatenate([words, forms[features["form_index"]]], axis=2)


def word_inputs(settings: TransformerSettings) -> list[str]:
    """The arrays that the transformer itself reads."""
    return ["pieces", "piece_lengths", "first", *(["last"] if settings.pooling == "mean" else [])]
