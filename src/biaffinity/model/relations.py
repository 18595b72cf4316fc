"""The relation classifier: labels and tokens -> BiLSTM -> head and tail projections -> biaffine."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from biaffinity.encoding.labels import Labels
from biaffinity.layers.biaffine import Biaffine
from biaffinity.layers.dropout import Dropout
from biaffinity.layers.lstm import BiLSTM
from biaffinity.layers.ranges import range_max
from biaffinity.model.config import ModelConfig


class RelationClassifier(nn.Module):
    """Scores of every relation class for pairs of entities; an entity is known by its last token."""

    def __init__(self, config: ModelConfig, labels: Labels, classes: int, input_size: int) -> None:
        super().__init__()
        self.label_embedding = None
        if config.label_embeddings:
            self.label_embedding = nn.Embedding(len(labels), config.label_size)
            nn.init.xavier_uniform_(self.label_embedding.weight)
            input_size += config.label_size
        self.label_dropout = Dropout(config.dropout)
        self.lstm = BiLSTM(input_size, config.lstm_hidden, config.lstm_layers)
        self.dropout = Dropout(config.dropout)
        self.head = nn.Linear(self.lstm.output_size, config.projection)
        self.tail = nn.Linear(self.lstm.output_size, config.projection)
        nn.init.orthogonal_(self.head.weight)
        with torch.no_grad():  # both start from the same matrix, as in the released program
            self.tail.weight.copy_(self.head.weight)
        self.biaffine = Biaffine(config.projection, classes, bilinear=config.bilinear, linear=config.linear)
        self.context = self.context_output = None
        if config.context:
            self.context = nn.Linear(self.lstm.output_size, config.projection)
            self.context_output = nn.Linear(config.projection, classes, bias=False)
            nn.init.xavier_uniform_(self.context.weight)
            nn.init.zeros_(self.context_output.weight)
        for layer in (self.head, self.tail, self.context):
            if layer is not None:
                nn.init.zeros_(layer.bias)

    def forward(self, vectors: Tensor, labels: Tensor, lengths: Tensor) -> Tensor:
        """Token vectors [batch, size, width] and labels [batch, size] -> states [batch, size, 2 * hidden]."""
        if self.label_embedding is not None:
            vectors = torch.cat([self.label_dropout(self.label_embedding(labels)), vectors], dim=2)
        states: Tensor = self.lstm(vectors, lengths)
        return states

    def scores(
        self, states: Tensor, sentence: Tensor, start: Tensor, end: Tensor, head: Tensor, tail: Tensor
    ) -> Tensor:
        """Class scores of candidate pairs.

        Args:
            states: [batch, size, 2 * hidden] from `forward`.
            sentence, start, end: [entities], where each entity stands.
            head, tail: [pairs], indexes of entities.

        Returns:
            [pairs, classes].
        """
        last = states[sentence, end - 1]
        heads = torch.tanh(self.head(self.dropout(last)))
        tails = torch.tanh(self.tail(self.dropout(last)))
        scores: Tensor = self.biaffine(heads[head], tails[tail])
        if self.context is not None and self.context_output is not None:
            between = torch.tanh(self.context(self.dropout(states)))
            left = torch.minimum(end[head], end[tail])
            right = torch.maximum(start[head], start[tail])
            pooled = range_max(between, sentence[head], left, right)
            scores = scores + self.context_output(self.dropout(pooled))
        return scores
