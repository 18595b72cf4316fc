"""Every class multiplies head and tail through a matrix of its own: y1ᵀ U_k y2 (Dozat & Manning 2017)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from biaffinity.config.settings import ModelConfig
from biaffinity.model.pair_terms import Candidates


class Term(nn.Module):
    """Starts at zero, as in the released program."""

    def __init__(self, config: ModelConfig, width: int, classes: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(classes, config.projection, config.projection))

    def forward(self, pairs: Candidates) -> Tensor:
        """-> [pairs, classes]."""
        classes, size, _ = self.weight.shape
        # What all pairs of one head have in common is computed once for it, for all classes in one product.
        left = pairs.heads @ self.weight.permute(1, 0, 2).reshape(size, classes * size)
        of_head = left.index_select(0, pairs.head).view(-1, classes, size)
        return (of_head @ pairs.tails.index_select(0, pairs.tail).unsqueeze(2)).squeeze(2)
