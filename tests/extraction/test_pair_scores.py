"""Maxima over ranges beside plain loops, and pairs scored in blocks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch", reason="PyTorch is the judge")

from biaffinity.annotation import Sentence
from biaffinity.extraction import pair_scores
from biaffinity.extraction.pair_scores import RangeMaxima
from extraction.exported import assert_found_alike, exported
from model.tiny import encode, stir, tiny_model

SIZE, BATCH, WIDTH = 13, 3, 4


@given(
    st.integers(0, 2**32),
    st.lists(st.tuples(st.integers(0, BATCH - 1), st.integers(0, SIZE), st.integers(0, SIZE)), max_size=20),
)
def test_maxima_are_those_of_a_loop(seed: int, ranges: list[tuple[int, int, int]]) -> None:
    values = np.random.default_rng(seed).normal(size=(SIZE, BATCH, WIDTH)).astype(np.float32)
    column, start, end = np.array(ranges, dtype=np.int64).reshape(-1, 3).T
    found = RangeMaxima(values)(column, start, end)
    assert found.shape == (len(ranges), WIDTH)
    for (row, first, last), maxima in zip(ranges, found, strict=True):
        inside = values[first:last, row]
        np.testing.assert_array_equal(maxima, inside.max(axis=0) if len(inside) else np.zeros(WIDTH))


def test_maxima_are_the_same_when_asked_again_for_longer_ranges() -> None:
    values = np.random.default_rng(0).normal(size=(SIZE, BATCH, WIDTH)).astype(np.float32)
    maxima = RangeMaxima(values)
    for length in (1, 2, 12, 3):
        found = maxima(np.array([1]), np.array([1]), np.array([1 + length]))
        np.testing.assert_array_equal(found[0], values[1 : 1 + length, 1].max(axis=0))


@pytest.mark.parametrize("switches", [{}, {"bilinear": False}, {"linear": False}], ids=str)
def test_blocks_of_pairs_change_nothing(
    switches: dict[str, bool], news: list[Sentence], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_scores, "BLOCK", 7)
    model = tiny_model(news, context=True, candidates="all", **switches).eval()
    stir(model)
    batch = encode(model, news)
    theirs = model.decode(batch)
    assert len(theirs.pairs) > 14
    assert_found_alike(exported(model, tmp_path).decode(batch), theirs)
