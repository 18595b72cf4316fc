"""Maxima over ranges against the maximum of each slice."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from biaffinity.layers.ranges import range_max


def naive(values: Tensor, row: Tensor, start: Tensor, end: Tensor) -> Tensor:
    rows = []
    for r, a, b in zip(row.tolist(), start.tolist(), end.tolist(), strict=True):
        rows.append(values[r, a:b].max(0).values if a < b else values.new_zeros(values.size(2)))
    return torch.stack(rows) if rows else values.new_zeros(0, values.size(2))


@given(st.integers(1, 20), st.integers(1, 3), st.data())
def test_each_range_gives_the_maximum_of_its_slice_and_an_empty_one_zero(
    size: int, batch: int, data: st.DataObject
) -> None:
    position = st.integers(0, size)
    ranges = data.draw(st.lists(st.tuples(st.integers(0, batch - 1), position, position), max_size=8))
    generator = torch.Generator().manual_seed(data.draw(st.integers(0, 100)))
    values = torch.randn(batch, size, 4, generator=generator)
    row, start, end = torch.tensor(ranges, dtype=torch.int64).reshape(-1, 3).unbind(1)
    assert range_max(values, row, start, end).equal(naive(values, row, start, end))


def test_all_ranges_of_a_long_sequence() -> None:
    torch.manual_seed(0)
    values = torch.randn(1, 70, 3)
    start, end = torch.meshgrid(torch.arange(71), torch.arange(71), indexing="ij")
    start, end = start.reshape(-1), end.reshape(-1)
    row = torch.zeros_like(start)
    assert range_max(values, row, start, end).equal(naive(values, row, start, end))


def test_negative_values_are_not_lifted_to_zero() -> None:
    values = -torch.ones(1, 5, 2)
    one = torch.tensor([1])
    assert range_max(values, torch.tensor([0]), one, torch.tensor([4])).tolist() == [[-1.0, -1.0]]


def test_gradients_are_right() -> None:
    torch.manual_seed(1)
    values = torch.randn(2, 9, 3, dtype=torch.float64, requires_grad=True)
    row = torch.tensor([0, 0, 1, 1, 0])
    start, end = torch.tensor([0, 2, 4, 3, 9]), torch.tensor([9, 7, 5, 3, 9])
    assert torch.autograd.gradcheck(lambda v: range_max(v, row, start, end), values)


def test_an_empty_range_passes_no_gradient() -> None:
    values = torch.randn(1, 3, 2, requires_grad=True)
    at = torch.tensor([2])
    range_max(values, torch.tensor([0]), at, at).sum().backward()
    assert values.grad is not None
    assert not values.grad.any()
