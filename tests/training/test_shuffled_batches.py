"""Batches of training: every sentence once, in an order that is never twice the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch", reason="the trainer needs PyTorch")

from biaffinity.training.trainer import shuffled_batches

lengths = st.lists(st.integers(1, 60), max_size=40)


@given(lengths, st.integers(1, 9), st.integers(0, 99))
def test_shuffled_batches_hold_every_sentence_once(sizes: list[int], size: int, seed: int) -> None:
    batches = list(shuffled_batches(sizes, size, np.random.default_rng(seed)))
    assert sorted(row for batch in batches for row in batch.tolist()) == list(range(len(sizes)))
    assert sum(len(batch) != size for batch in batches) <= 1
    assert all(1 <= len(batch) <= size for batch in batches)


def shuffled(seed_or_generator: int | np.random.Generator) -> list[list[int]]:
    generator = np.random.default_rng(seed_or_generator)
    sizes = [5 + row % 7 for row in range(30)]
    return [batch.tolist() for batch in shuffled_batches(sizes, 4, generator)]


def test_shuffled_batches_are_the_same_for_the_same_seed() -> None:
    assert shuffled(3) == shuffled(3)
    assert shuffled(3) != shuffled(4)


def test_shuffled_batches_differ_between_epochs_in_order_and_in_company() -> None:
    generator = np.random.default_rng(0)
    first, second = shuffled(generator), shuffled(generator)
    assert first != second
    assert {frozenset(batch) for batch in first} != {frozenset(batch) for batch in second}


def test_shuffled_batches_come_in_any_order_of_length() -> None:
    sizes = [10 * 2**row for row in range(8)]
    orders = set()
    for seed in range(5):
        batches = shuffled_batches(sizes, 1, np.random.default_rng(seed))
        orders.add(tuple(int(batch[0]) for batch in batches))
    assert len(orders) == 5


def test_shuffled_batches_mix_lengths_that_differ_by_less_than_a_tenth() -> None:
    sizes = [100, 105] * 8
    batches = shuffled_batches(sizes, 4, np.random.default_rng(2))
    assert any(len({sizes[row] for row in batch}) == 2 for batch in batches)


def test_shuffled_batches_keep_like_lengths_together() -> None:
    sizes = [3, 80] * 8
    for batch in shuffled_batches(sizes, 8, np.random.default_rng(1)):
        assert len({sizes[row] for row in batch}) == 1
