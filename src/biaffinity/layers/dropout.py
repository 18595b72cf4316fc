"""Dropout of values, and of words: a rare word is hidden more often, so that the unknown word is learnt.

Source: Srivastava et al. (2014); word dropout, Kiperwasser & Goldberg (2016), with the constant of
Nguyen & Verspoor (2019).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Dropout(nn.Module):
    """Sets values to zero at a rate and scales up the others, in training only.

    One random byte decides each value, so the rate is rounded to a multiple of 1/256; drawing eight
    of them at a time makes it several times faster on CPU than the library's own.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.dropped = round(256 * rate)

    def forward(self, values: Tensor) -> Tensor:
        """[...] -> [...]."""
        if not self.training or self.dropped == 0:
            return values
        if values.is_cuda:  # whose own is one kernel
            return nn.functional.dropout(values, self.dropped / 256)
        count = values.numel()
        low, high = -(2**63), 2**63 - 1
        draws = torch.randint(low, high, ((count + 7) // 8,), dtype=torch.int64, device=values.device)
        kept = draws.view(torch.uint8)[:count].view(values.shape) >= self.dropped
        return values * (kept * (256 / (256 - self.dropped)))


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
