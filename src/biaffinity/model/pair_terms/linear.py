"""A linear score of both arguments: W (y1 ∘ y2) (Nguyen & Verspoor 2019)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from biaffinity.config.settings import ModelConfig
from biaffinity.model.pair_terms import Candidates


class Term(nn.Module):
    """Starts orthonormal, as in the released program."""

    def __init__(self, config: ModelConfig, width: int, classes: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(classes, 2 * config.projection))
        nn.init.orthogonal_(self.weight)

    def forward(self, pairs: Candidates) -> Tensor:
        """-> [pairs, classes]."""
        of_head, of_tail = self.weight.chunk(2, dim=1)
        heads, tails = pairs.heads @ of_head.T, pairs.tails @ of_tail.T
        return heads.index_select(0, pairs.head) + tails.index_select(0, pairs.tail)
