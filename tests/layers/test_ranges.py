"""Maxima over ranges against the maximum of each slice."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from biaffinity.layers.ranges import LONG, SHORT, range_max, rows_at
from layers.exported import WIDTH, Graph


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


def test_no_ranges_have_no_maxima() -> None:
    none = torch.zeros(0, dtype=torch.int64)
    assert range_max(torch.ones(2, 3, 4), none, none, none).shape == (0, 4)


def test_rows_are_looked_up() -> None:
    values = torch.randn(3, 5, 2)
    row, position = torch.tensor([2, 0, 0, 1]), torch.tensor([4, 0, 3, 2])
    assert rows_at(values, row, position).equal(values[row, position])


def random_ranges(seed: int, size: int, longest: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Values of a few rows, and ranges in them of at most ``longest`` values; some are empty or less."""
    random = torch.Generator().manual_seed(seed)
    batch, count = (int(torch.randint(1, high, (), generator=random)) for high in (4, 60))
    start = torch.randint(0, size + 1, (count,), generator=random)
    length = torch.randint(-3, longest + 1, (count,), generator=random)
    length[0] = longest
    start[0] = torch.randint(0, size - longest + 1, (), generator=random)
    end = (start + length).clamp(0, size)
    row = torch.randint(0, batch, (count,), generator=random)
    return torch.randn(batch, size, WIDTH, generator=random) - 1, row, start, end


def exported(graphs: dict[str, Graph], values: Tensor, row: Tensor, start: Tensor, end: Tensor) -> Tensor:
    return torch.from_numpy(graphs["ranges"](values=values, row=row, start=start, end=end))


@pytest.mark.parametrize(
    "longest", [0, 1, 2, 3, 2**SHORT - 1, 2**SHORT, 2**SHORT + 1, 2 ** (SHORT + 1), 100, 300], ids=str
)
@pytest.mark.parametrize("seed", range(3))
def test_eager_and_exported_maxima_are_those_of_a_loop(
    graphs: dict[str, Graph], seed: int, longest: int
) -> None:
    for size in (max(1, longest), 310):
        problem = random_ranges(seed, size, longest)
        expected = naive(*problem)
        assert range_max(*problem).equal(expected)
        assert exported(graphs, *problem).equal(expected)


def test_exported_maxima_are_right_for_ranges_of_any_length_together(graphs: dict[str, Graph]) -> None:
    torch.manual_seed(2)
    values = torch.randn(2, 140, WIDTH)
    start, end = torch.meshgrid(torch.arange(0, 141, 5), torch.arange(141), indexing="ij")
    start, end = start.reshape(-1), end.reshape(-1)
    row = torch.arange(len(start)) % 2
    assert exported(graphs, values, row, start, end).equal(naive(values, row, start, end))


def test_exported_maxima_are_right_up_to_the_longest_range_that_was_promised(
    graphs: dict[str, Graph],
) -> None:
    longest = 2**LONG - 1
    torch.manual_seed(3)
    values = torch.randn(2, longest + 4, WIDTH)
    row, start = torch.tensor([0, 1, 1, 0]), torch.tensor([4, 0, 7, 3])
    end = start + torch.tensor([longest, longest - 1, 2 ** (LONG - 1), 2])
    assert exported(graphs, values, row, start, end).equal(naive(values, row, start, end))
