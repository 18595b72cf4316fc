"""A score of the words between the arguments: their states, projected and max-pooled."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from biaffinity.config.settings import ModelConfig
from biaffinity.layers.dropout import Dropout
from biaffinity.layers.ranges import range_max
from biaffinity.model.pair_terms import Candidates


class Term(nn.Module):
    """Starts at zero."""

    def __init__(self, config: ModelConfig, width: int, classes: int) -> None:
        super().__init__()
        self.dropout = Dropout(config.dropout)
        self.projection = nn.Linear(width, config.projection)
        self.output = nn.Linear(config.projection, classes, bias=False)
        nn.init.xavier_uniform_(self.projection.weight)
        nn.init.zeros_(self.projection.bias)
        nn.init.zeros_(self.output.weight)

    def forward(self, pairs: Candidates) -> Tensor:
        """-> [pairs, classes]."""
        projected = torch.tanh(self.projection(self.dropout(pairs.states)))
        after = torch.minimum(pairs.end[pairs.head], pairs.end[pairs.tail])
        before = torch.maximum(pairs.start[pairs.head], pairs.start[pairs.tail])
        between = range_max(projected, pairs.sentence[pairs.head], after, before)
        scores: Tensor = self.output(self.dropout(between))
        return scores
