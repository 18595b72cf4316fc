"""A hidden layer over head, tail, the words between them and their order, all together.

The other terms are summed up, so that none of them can say "this verb, and in this direction". So many
weights need many sentences, such as those that teachers label for a student.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from biaffinity.config.settings import ModelConfig
from biaffinity.layers.dropout import Dropout
from biaffinity.model.pair_terms import Candidates


class Term(nn.Module):
    """Starts at zero."""

    def __init__(self, config: ModelConfig, width: int, classes: int) -> None:
        super().__init__()
        size = config.projection
        self.dropout = Dropout(config.dropout)
        self.projection = nn.Linear(width, size)
        self.hidden = nn.Linear(3 * size + 1, config.feedforward)
        self.output = nn.Linear(config.feedforward, classes, bias=False)
        for layer in (self.projection, self.hidden):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
        nn.init.zeros_(self.output.weight)

    def forward(self, pairs: Candidates) -> Tensor:
        """-> [pairs, classes]."""
        size = self.projection.out_features
        of_head, of_tail, of_between, of_order = torch.split(self.hidden.weight, [size, size, size, 1], dim=1)
        # What all pairs of one entity have in common is computed once for it.
        heads = (self.dropout(pairs.heads) @ of_head.T).index_select(0, pairs.head)
        tails = (self.dropout(pairs.tails) @ of_tail.T).index_select(0, pairs.tail)
        between = pairs.between(torch.tanh(self.projection(self.dropout(pairs.states))))
        head_first = (pairs.start[pairs.head] < pairs.start[pairs.tail]).to(between.dtype).unsqueeze(1)
        order = head_first * of_order.T
        hidden = torch.relu(heads + tails + self.dropout(between) @ of_between.T + order + self.hidden.bias)
        scores: Tensor = self.output(self.dropout(hidden))
        return scores
