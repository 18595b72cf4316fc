"""Element-wise maxima over many ranges of one sequence at once.

Source: the sparse table of Bender & Farach-Colton (2000): maxima over every power of two are
computed once, and any range is covered by two of them.
"""

from __future__ import annotations

import torch
from torch import Tensor

#: An exported graph cannot ask how many levels of the table it needs: those for ranges shorter than 2 ** 5
#: are always made, those for ranges shorter than 2 ** 17 only if there is one that long.
SHORT, LONG = 5, 17


def range_max(values: Tensor, row: Tensor, start: Tensor, end: Tensor) -> Tensor:
    """The maximum of ``values`` over ranges; zero for an empty range.

    Args:
        values: [batch, size, width].
        row, start, end: [ranges]; range r covers ``values[row[r], start[r]:end[r]]``.

    Returns:
        [ranges, width]. Time and memory grow with ranges + batch * size * log(longest range).
    """
    length, size = end - start, values.size(1)
    # Where each range begins and ends among the rows of all sequences, one after the other.
    first = row * size + start.clamp(max=size - 1)
    end = row * size + end
    maxima = values.new_zeros(row.size(0), values.size(2))
    if not torch.compiler.is_exporting():
        # At least one level, so that values have a gradient, if only of zeros, as they would of any range.
        # A GPU is not waited for: there a range may be as long as its sequence.
        bound = size if length.is_cuda else int(length.max()) if len(row) else 1
        longest = max(1, bound)
        return _cover(values, maxima, first, end, length, levels=range(longest.bit_length()))[1]
    values, maxima = _cover(values, maxima, first, end, length, levels=range(SHORT))
    result: Tensor = torch.cond(
        length.max() >= 2**SHORT, _cover_long, _leave, (values, maxima, first, end, length)
    )
    return result


def _cover(
    values: Tensor, maxima: Tensor, first: Tensor, end: Tensor, length: Tensor, levels: range
) -> tuple[Tensor, Tensor]:
    """Fill in the maxima of the ranges whose lengths have their highest bit among ``levels``."""
    for level in levels:
        values = _doubled(values, level)
        rows = values.flatten(0, 1)
        reach = 2**level
        last = (end - reach).clamp(min=0)
        both = torch.maximum(rows.index_select(0, first), rows.index_select(0, last))
        here = (length >= reach) & (length < 2 * reach)
        maxima = torch.where(here.unsqueeze(1), both, maxima)
    return values, maxima


def _doubled(values: Tensor, level: int) -> Tensor:
    """Maxima of 2 ** ``level`` values from each on, or of those that are left, from those of half as many."""
    if not level:
        return values
    positions = torch.arange(values.size(1), device=values.device)
    ahead = (positions + 2 ** (level - 1)).clamp(max=values.size(1) - 1)
    return torch.maximum(values, values.index_select(1, ahead))


def _cover_long(values: Tensor, maxima: Tensor, first: Tensor, end: Tensor, length: Tensor) -> Tensor:
    """The same for all longer ranges at once: fewer operations to trace, more memory."""
    tables = []
    for level in range(SHORT, LONG):
        values = _doubled(values, level)
        tables.append(values.flatten(0, 1))
    reaches = 2 ** torch.arange(SHORT, LONG, device=values.device)
    chosen = ((length.unsqueeze(1) >= reaches).sum(1) - 1).clamp(min=0)
    rows, offset = torch.cat(tables), chosen * tables[0].size(0)
    last = (end - reaches.index_select(0, chosen)).clamp(min=0)
    both = torch.maximum(rows.index_select(0, offset + first), rows.index_select(0, offset + last))
    return torch.where((length >= 2**SHORT).unsqueeze(1), both, maxima)


def _leave(values: Tensor, maxima: Tensor, first: Tensor, end: Tensor, length: Tensor) -> Tensor:
    return maxima.clone()


def rows_at(values: Tensor, row: Tensor, position: Tensor) -> Tensor:
    """``values[row, position]`` of [batch, size, width], as a look-up of whole rows, which is faster."""
    return values.flatten(0, 1).index_select(0, row * values.size(1) + position)
