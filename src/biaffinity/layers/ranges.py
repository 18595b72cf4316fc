"""Element-wise maxima over many ranges of one sequence at once.

Source: the sparse table of Bender & Farach-Colton (2000): maxima over every power of two are
computed once, and any range is covered by two of them.
"""

from __future__ import annotations

import torch
from torch import Tensor


def range_max(values: Tensor, row: Tensor, start: Tensor, end: Tensor) -> Tensor:
    """The maximum of ``values`` over ranges; zero for an empty range.

    Args:
        values: [batch, size, width].
        row, start, end: [ranges]; range r covers ``values[row[r], start[r]:end[r]]``.

    Returns:
        [ranges, width]. Time and memory grow with ranges + batch * size * log(longest range).
    """
    length = end - start
    longest = int(length.max()) if len(length) else 0
    levels = [values]
    while 2 ** len(levels) <= longest:
        step = 2 ** (len(levels) - 1)
        below = levels[-1]
        levels.append(torch.cat([torch.maximum(below[:, :-step], below[:, step:]), below[:, -step:]], dim=1))
    table = torch.stack(levels)
    widths = 2 ** torch.arange(len(levels), device=values.device)
    level = torch.bucketize(length.clamp(min=1), widths, right=True) - 1
    width = widths[level]
    first = start.clamp(max=values.size(1) - 1)
    second = (end - width).clamp(min=0)
    maxima = torch.maximum(table[level, row, first], table[level, row, second])
    return torch.where((length > 0).unsqueeze(1), maxima, 0.0)
