"""Values are dropped at the asked rate, rare words hidden at the paper's."""

from __future__ import annotations

import pytest
import torch

from biaffinity.layers.dropout import Dropout, WordDropout


def test_a_word_is_hidden_at_the_rate_of_its_count():
    torch.manual_seed(0)
    layer = WordDropout(torch.tensor([1e9, 1e9, 1.0, 3.0]), 0.25, unknown=1)
    for word, expected in ((2, 0.25 / 1.25), (3, 0.25 / 3.25)):
        hidden = (layer(torch.full((40_000,), word)) == 1).float().mean().item()
        assert abs(hidden - expected) < 0.01


def test_nothing_is_hidden_outside_training_or_at_rate_zero():
    words = torch.tensor([[2, 3]])
    counts = torch.ones(4)
    assert WordDropout(counts, 0.25, unknown=1).eval()(words).equal(words)
    assert WordDropout(counts, 0.0, unknown=1)(words).equal(words)


@pytest.mark.parametrize("rate", [0.33, 0.5])
def test_values_are_dropped_at_the_rate_and_keep_their_mean(rate):
    torch.manual_seed(1)
    dropped = Dropout(rate)(torch.ones(300, 333))
    assert abs((dropped == 0).float().mean().item() - rate) < 0.01
    assert abs(dropped.mean().item() - 1) < 0.02
    assert len(dropped.unique()) == 2


def test_every_value_is_dropped_independently():
    torch.manual_seed(2)
    kept = (Dropout(0.5)(torch.ones(4000, 9)) > 0).double()
    assert torch.corrcoef(kept.T).fill_diagonal_(0).abs().max() < 0.08


def test_gradients_pass_through_what_is_kept_alone():
    torch.manual_seed(3)
    values = torch.ones(50, requires_grad=True)
    result = Dropout(0.5)(values)
    result.sum().backward()
    assert values.grad.equal(result.detach())


def test_nothing_is_dropped_outside_training_or_at_no_rate():
    values = torch.randn(3, 5)
    assert Dropout(0.5).eval()(values) is values
    assert Dropout(0.0)(values) is values
