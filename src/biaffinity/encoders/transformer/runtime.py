"""The transformer encoder without PyTorch: pieces by ``tokenizers``, the network by its exported graph."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biaffinity.decoding.arrays import Floats
from biaffinity.decoding.network import Batch
from biaffinity.encoders.character_vectors import CharacterVectors, characters_graph
from biaffinity.encoders.parts import ModelParts
from biaffinity.encoders.transformer.featuriser import TransformerFeaturiser
from biaffinity.encoders.transformer.identity import TOKENIZER, Identity
from biaffinity.encoders.transformer.pieces import WordPieces
from biaffinity.encoders.transformer.settings import TransformerSettings
from biaffinity.graphs.judge import Axes, Signature

#: The graph that reads pieces is called so, after the encoder's own name.
WORDS = "words"
#: Rows of tables of positions, absolute or relative; longer windows have none.
MOST_POSITIONS = 1024


class TransformerRuntime:
    """Token vectors of a batch; threads may share it. ``name`` is that of its graphs."""

    def __init__(self, parts: ModelParts, name: str, settings: TransformerSettings) -> None:
        self._identity = Identity.read(parts.folder)
        self._settings = settings
        self._pieces = WordPieces.read(parts.folder / TOKENIZER, self._identity.limit)
        self._inputs = word_inputs(settings)
        matrices = _matrices(parts.shapes, f"{name}.{WORDS}.")
        self._identity.check_layers(len(matrices), parts.folder)
        self.width = self._identity.hidden_size(parts.folder)
        self._words = parts.graph(f"{name}.{WORDS}", self._signature(max(map(max, matrices), default=1)))
        self._characters = None
        if settings.characters:
            hidden = settings.character_hidden
            graph = characters_graph(parts, name, settings.character_size, hidden)
            self._characters = CharacterVectors(graph, 2 * hidden)
            self.width += self._characters.width

    def _signature(self, widest: int) -> Signature:
        axes: dict[str, Axes] = {
            "pieces": ("windows", "longest"),
            "piece_lengths": ("windows",),
            "first": ("batch", "size"),
            "last": ("batch", "size"),
        }
        return Signature(
            {name: axes[name] for name in self._inputs},
            ("batch", "size", self.width),
            widest,
            self._identity.layers,
            crossed="longest",
            positions=min(self._identity.limit, MOST_POSITIONS),
        )

    def new_featuriser(self) -> TransformerFeaturiser:
        """A featuriser that has met no token yet."""
        return self._identity.featuriser(self._pieces, self._settings)

    def __call__(self, batch: Batch) -> Floats:
        """-> [batch, size, width]."""
        features = batch.features
        words = self._words({name: features[name] for name in self._inputs})
        if self._characters is None:
            return words
        forms = self._characters(features["characters"], features["character_lengths"])
        return np.concatenate([words, forms[features["form_index"]]], axis=2)


def _matrices(shapes: Mapping[str, tuple[int, ...]], prefix: str) -> list[tuple[int, ...]]:
    """The shapes of a transformer's layers, without its tables, which are longer than any layer is wide."""
    return [
        shape
        for name, shape in shapes.items()
        if name.startswith(prefix) and "embed" not in name and len(shape) == 2
    ]


def word_inputs(settings: TransformerSettings) -> list[str]:
    """The arrays that the transformer itself reads."""
    return ["pieces", "piece_lengths", "first", *(["last"] if settings.pooling == "mean" else [])]
