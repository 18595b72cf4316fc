"""Word dropout: a word is hidden the oftener the rarer it is, so that the unknown word is learnt.

Source: Kiperwasser & Goldberg (2016), with the constant of Nguyen & Verspoor (2019).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class WordDropout(nn.Module):
    """Replaces word ids by the unknown word's with probability α / (α + count), in training only."""

    rate: Tensor

    def __init__(self, counts: Tensor, alpha: float, unknown: int) -> None:
        super().__init__()
        self.unknown = unknown
        rate = alpha / (alpha + counts.float()) if alpha > 0 else torch.zeros(len(counts))
        self.register_buffer("rate", rate, persistent=False)

    def forward(self, words: Tensor) -> Tensor:
        """[...] word ids -> [...] word ids."""
        if not self.training:
            return words
        hidden = torch.rand(words.shape, device=words.device) < self.rate[words]
        return words.masked_fill(hidden, self.unknown)
