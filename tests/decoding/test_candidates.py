"""Candidates against two loops over all entities."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.decoding.candidates import Pairs, candidates
from biaffinity.decoding.labels import Spans

TYPES = 3


def spans_of(types: list[list[int]]) -> Spans:
    """Entities of one token each, by sentence."""
    sentence = np.repeat(np.arange(len(types)), [len(row) for row in types])
    start = np.array([place for row in types for place in range(len(row))], dtype=np.int64)
    numbers = np.array([number for row in types for number in row], dtype=np.int64)
    return Spans(sentence, start, start + 1, numbers)


def listed(pairs: Pairs) -> list[tuple[int, int]]:
    return list(zip(pairs.head.tolist(), pairs.tail.tolist(), strict=True))


@given(
    st.lists(st.lists(st.integers(0, TYPES - 1), max_size=5), min_size=1, max_size=4),
    st.integers(0, 2**9 - 1),
)
def test_candidates_are_the_ordered_pairs_of_one_sentence_whose_types_may_be_related(
    types: list[list[int]], bits: int
) -> None:
    related = (bits >> np.arange(TYPES**2) & 1).astype(bool).reshape(TYPES, TYPES)
    spans = spans_of(types)
    expected = [
        (head, tail)
        for head, tail in permutations(range(len(spans)), 2)
        if spans.sentence[head] == spans.sentence[tail] and related[spans.type[head], spans.type[tail]]
    ]
    assert listed(candidates(spans, related)) == expected


def test_no_spans_give_no_candidates() -> None:
    none = candidates(spans_of([[], []]), np.ones((TYPES, TYPES), dtype=bool))
    assert len(none) == 0
    assert none.head.dtype == none.tail.dtype == np.int64


def test_candidates_of_one_sentence_are_its_ordered_pairs() -> None:
    pairs = candidates(spans_of([[0, 0, 0, 0]]), np.ones((TYPES, TYPES), dtype=bool))
    assert listed(pairs) == sorted(permutations(range(4), 2))


@pytest.mark.parametrize("chosen", [slice(1, 3), np.array([False, True, True, False])], ids=["slice", "mask"])
def test_some_of_the_pairs_can_be_taken(chosen: slice) -> None:
    pairs = Pairs(np.array([0, 0, 1, 2]), np.array([1, 2, 0, 0]))
    assert listed(pairs[chosen]) == [(0, 2), (1, 0)]
