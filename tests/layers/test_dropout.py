"""Word dropout hides rare words at the paper's rate."""

from __future__ import annotations

import torch

from biaffinity.layers.dropout import WordDropout


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
