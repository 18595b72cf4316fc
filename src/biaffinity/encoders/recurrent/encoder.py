"""Token vectors of words and their characters: word embedding ∘ character vector."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from biaffinity.annotation import Sentence
from biaffinity.encoders.character_vectors import CHARACTERS
from biaffinity.encoders.encoder import Encoder, ExportedGraph
from biaffinity.encoders.recurrent.featuriser import VOCABULARY, RecurrentFeaturiser, read_vocabulary
from biaffinity.encoders.recurrent.settings import RecurrentSettings
from biaffinity.encoders.recurrent.vectors import Coverage, WordVectors, coverage
from biaffinity.encoders.recurrent.vocabulary import PADDING, UNKNOWN, Vocabulary
from biaffinity.files import writing
from biaffinity.layers.characters import CharacterEncoder
from biaffinity.layers.dropout import Dropout, WordDropout


class WordEmbedding(nn.Module):
    """Trained vectors for the words of the training data, fixed ones for other words.

    Numbers below ``trained`` index the trained table, the rest the fixed one, which is kept in
    half precision: it is large and only looked up. ``rare`` tells that training meets such words too.
    """

    unseen: Tensor

    def __init__(self, trained: int, size: int, unseen: Tensor, *, rare: bool) -> None:
        super().__init__()
        self.rare = rare
        self.trained = nn.Parameter(torch.empty(trained, size))
        bound = math.sqrt(3 / size)
        nn.init.uniform_(self.trained, -bound, bound)
        with torch.no_grad():
            self.trained[PADDING].zero_()
        self.register_buffer("unseen", unseen)

    def forward(self, words: Tensor) -> Tensor:
        """[batch, size] word numbers -> [batch, size, width]."""
        count = len(self.trained)
        vectors = nn.functional.embedding(words.clamp(max=count - 1), self.trained)
        if len(self.unseen) == 0 or (self.training and not self.rare):
            return vectors
        fixed = nn.functional.embedding((words - count).clamp(min=0), self.unseen).to(vectors.dtype)
        return torch.where((words >= count).unsqueeze(2), fixed, vectors)


class RecurrentEncoder(Encoder):
    """The token vectors v_i, dropped out once (the same dropped vector feeds whatever reads it)."""

    def __init__(
        self, settings: RecurrentSettings, vocabulary: Vocabulary, unseen: Tensor, *, dropout: float
    ) -> None:
        super().__init__()
        self.settings = settings
        self.vocabulary = vocabulary
        rare = settings.min_count > 1
        self.words = WordEmbedding(vocabulary.trained, vocabulary.word_size, unseen, rare=rare)
        # Padding, the unknown word itself and words with a fixed vector are never hidden.
        counts = torch.full((2 + len(vocabulary.words) + len(vocabulary.unseen),), math.inf)
        counts[2 : vocabulary.trained] = torch.tensor(vocabulary.counts, dtype=counts.dtype)
        self.word_dropout = WordDropout(counts, settings.word_dropout, UNKNOWN)
        self.output_size = vocabulary.word_size
        self.characters = None
        if settings.characters:
            self.characters = CharacterEncoder(
                vocabulary.alphabet.symbols,
                settings.character_size,
                settings.character_hidden,
                shared=settings.character_shared,
            )
            self.output_size += self.characters.output_size
        self.rate = dropout
        self.dropout = Dropout(dropout)

    @classmethod
    def build(
        cls,
        settings: RecurrentSettings,
        train: Sequence[Sentence],
        dev: Sequence[Sentence],
        vectors: WordVectors | None,
        *,
        dropout: float,
    ) -> tuple[RecurrentEncoder, Coverage | None]:
        """An encoder for some training data, with fresh weights, and how many of its words have vectors."""
        also = dev if settings.vocabulary == "train+dev" else ()
        size = settings.word_size if vectors is None else vectors.dimension
        vocabulary = Vocabulary.build(
            train, settings.normalisation, also, word_size=size, min_count=settings.min_count
        )
        if vectors is None:
            return cls(settings, vocabulary, torch.zeros(0, size), dropout=dropout), None
        known = {word: row for word in vocabulary.words if (row := vectors.row(word)) is not None}
        rows = _unseen_rows(settings, vectors, known)
        vocabulary = vocabulary.with_unseen([vectors.words[row] for row in rows])
        unseen = torch.from_numpy(np.asarray(vectors.matrix[rows], dtype=np.float16))
        encoder = cls(settings, vocabulary, unseen, dropout=dropout)
        start = torch.from_numpy(np.asarray(vectors.matrix[list(known.values())], dtype=np.float32))
        with torch.no_grad():
            encoder.words.trained[[vocabulary.word(word) for word in known]] = start
        counts = dict(zip(vocabulary.words, vocabulary.counts, strict=True))
        return encoder, coverage(counts, vectors)

    @classmethod
    def load(cls, folder: Path, settings: RecurrentSettings, *, dropout: float) -> RecurrentEncoder:
        """The encoder of a model folder; its weights are filled in with the model's."""
        vocabulary = read_vocabulary(folder)
        unseen = torch.zeros(len(vocabulary.unseen), vocabulary.word_size, dtype=torch.float16)
        return cls(settings, vocabulary, unseen, dropout=dropout)

    def save(self, folder: Path) -> None:
        """Write all of the encoder but its weights."""
        with writing(folder / VOCABULARY) as file:
            json.dump(self.vocabulary.to_dict(), file, ensure_ascii=False)

    def twin(self) -> RecurrentEncoder:
        """Another encoder of the same kind, whose words start alike: the second network of a pipeline.

        The table of unseen words, large and never trained, is one for both.
        """
        other = RecurrentEncoder(self.settings, self.vocabulary, self.words.unseen, dropout=self.rate)
        with torch.no_grad():
            other.words.trained.copy_(self.words.trained)
        return other

    def table(self) -> nn.Parameter:
        """The vectors of trained words."""
        return self.words.trained

    def share_tables(self, other: RecurrentEncoder) -> None:
        """Let a twin read this encoder's table again, after both were moved to another device."""
        other.words.unseen = self.words.unseen

    def new_featuriser(self) -> RecurrentFeaturiser:
        """A featuriser for this encoder that has met no token yet."""
        return RecurrentFeaturiser(self.settings, self.vocabulary)

    def forward(self, features: Mapping[str, Tensor]) -> Tensor:
        """The arrays of `RecurrentFeaturiser.collate` -> [batch, size, output_size]."""
        parts = [self.words(self.word_dropout(features["words"]))]
        if self.characters is not None:
            forms = self.characters(features["characters"], features["character_lengths"])
            parts.append(nn.functional.embedding(features["form_index"], forms))
        vectors: Tensor = self.dropout(torch.cat(parts, dim=2))
        return vectors

    def graphs(self) -> dict[str, ExportedGraph]:
        """What `RecurrentRuntime` runs: modules, examples of their arguments, the names of their axes.

        It reads characters so; words are looked up in the weights themselves.
        """
        if self.characters is None:
            return {}
        example = {"characters": torch.full((3, 7), UNKNOWN), "lengths": torch.tensor([7, 5, 4])}
        axes = {"characters": ("forms", "size"), "lengths": ("forms",)}
        return {CHARACTERS: (self.characters, example, axes)}


def _unseen_rows(settings: RecurrentSettings, vectors: WordVectors, known: Mapping[str, int]) -> list[int]:
    """Rows of the most frequent words outside the training data (files have them first)."""
    if settings.unseen_words == "unk":
        return []
    taken = set(known.values())
    rows = (row for row in range(len(vectors)) if row not in taken)
    return [row for row, _ in zip(rows, range(settings.keep_unseen), strict=False)]
