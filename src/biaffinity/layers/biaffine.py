"""The deep biaffine classifier: s_k = x1ᵀ U_k x2 + W_k (x1 ∘ x2) + b_k.

Source: Dozat & Manning (2017); as a relation classifier, Nguyen & Verspoor (2019).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Biaffine(nn.Module):
    """Scores of ``classes`` for pairs of vectors; the bilinear and the linear part can each be left out.

    Starts as the released program does: U zero, W orthonormal, b zero.
    """

    def __init__(self, size: int, classes: int, *, bilinear: bool = True, linear: bool = True) -> None:
        super().__init__()
        self.bilinear = nn.Parameter(torch.zeros(classes, size, size)) if bilinear else None
        self.linear = nn.Parameter(torch.empty(classes, 2 * size)) if linear else None
        if self.linear is not None:
            nn.init.orthogonal_(self.linear)
        self.bias = nn.Parameter(torch.zeros(classes))

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        """[pairs, size], [pairs, size] -> [pairs, classes]."""
        scores = self.bias.expand(len(first), -1)
        if self.bilinear is not None:
            classes, size, _ = self.bilinear.shape
            # One matrix product for all pairs and classes, then a product with each pair's own vector.
            left = first @ self.bilinear.permute(1, 0, 2).reshape(size, classes * size)
            scores = scores + (left.view(-1, classes, size) @ second.unsqueeze(2)).squeeze(2)
        if self.linear is not None:
            scores = scores + torch.cat([first, second], dim=1) @ self.linear.T
        return scores
