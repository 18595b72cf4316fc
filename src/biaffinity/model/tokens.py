"""Token vectors: word embedding ∘ character vector (∘ boundary embedding)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from biaffinity.encoding.labels import BOUNDARIES
from biaffinity.encoding.vocabulary import PADDING, UNKNOWN, Vocabulary
from biaffinity.layers.characters import CharacterEncoder
from biaffinity.layers.dropout import Dropout, WordDropout
from biaffinity.model.config import ModelConfig
from biaffinity.model.tensors import TokenTensors


class WordEmbedding(nn.Module):
    """Trained vectors for the words of the training data, fixed ones for other words.

    Numbers below ``trained`` index the trained table, the rest the fixed one, which is kept in
    half precision: it is large and only looked up.
    """

    unseen: Tensor

    def __init__(self, trained: int, size: int, unseen: Tensor) -> None:
        super().__init__()
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
        if len(self.unseen) == 0 or self.training:  # in training every word is a training word
            return vectors
        fixed = nn.functional.embedding((words - count).clamp(min=0), self.unseen).to(vectors.dtype)
        return torch.where((words >= count).unsqueeze(2), fixed, vectors)


class TokenEncoder(nn.Module):
    """The token vectors v_i, dropped out once (the same dropped vector feeds whatever reads it)."""

    def __init__(self, config: ModelConfig, vocabulary: Vocabulary, word_size: int, unseen: Tensor) -> None:
        super().__init__()
        self.words = WordEmbedding(vocabulary.trained, word_size, unseen)
        never_hidden = [math.inf, math.inf]  # padding and the unknown word itself
        counts = torch.tensor([*never_hidden, *vocabulary.counts])
        self.word_dropout = WordDropout(counts, config.word_dropout, UNKNOWN)
        self.output_size = word_size
        self.characters = None
        if config.characters:
            self.characters = CharacterEncoder(
                4 + len(vocabulary.characters),
                config.character_size,
                config.character_hidden,
                shared=config.character_shared,
            )
            self.output_size += self.characters.output_size
        self.boundaries = None
        if config.setup == 2:
            self.boundaries = nn.Embedding(BOUNDARIES, config.boundary_size)
            nn.init.xavier_uniform_(self.boundaries.weight)
            self.output_size += config.boundary_size
        self.dropout = Dropout(config.dropout)

    def forward(self, tokens: TokenTensors) -> Tensor:
        """-> [batch, size, output_size]."""
        parts = [self.words(self.word_dropout(tokens.words))]
        if self.characters is not None:
            forms = self.characters(tokens.characters, tokens.character_lengths)
            parts.append(nn.functional.embedding(tokens.form_index, forms))
        if self.boundaries is not None:
            parts.append(self.boundaries(tokens.boundaries))
        vectors: Tensor = self.dropout(torch.cat(parts, dim=2))
        return vectors
