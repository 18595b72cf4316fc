"""A network is made no larger than its weights."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from biaffinity.errors import DataError
from biaffinity.model import bounded
from biaffinity.model.bounded import NoLargerThan

SHAPES = {"weight": (300, 1000), "bias": (300,)}


@pytest.fixture(autouse=True)
def no_slack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "_NUMBERS", 0)
    monkeypatch.setattr(bounded, "_TENSORS", 0)


def limited() -> NoLargerThan:
    return NoLargerThan(SHAPES, Path("m"))


def test_what_the_weights_hold_is_made() -> None:
    with limited():
        assert nn.Linear(1000, 300)(torch.ones(1000)).shape == (300,)


@pytest.mark.parametrize(
    "make",
    [
        lambda: nn.Linear(1000, 900),
        lambda: nn.Embedding(10**10, 10),
        lambda: torch.zeros(10**12),
        lambda: torch.zeros((10**6, 10**6)),
        lambda: torch.empty(size=(10**12,)),
        lambda: torch.arange(10**12),
        lambda: torch.arange(0, end=10**12),
        lambda: nn.LSTM(10**5, 10**5),
        lambda: [torch.empty(1) for _ in range(5)],
    ],
)
def test_what_is_larger_is_not(make) -> None:
    with limited(), pytest.raises(DataError, match=r"m.config\.json: asks for a larger network"):
        make()


def test_layers_are_counted_before_they_are_made() -> None:
    limited().check_layers(4)
    with pytest.raises(DataError, match="larger network"):
        limited().check_layers(5)
