"""The biaffine classifier against its written-out sum."""

from __future__ import annotations

import pytest
import torch

from biaffinity.layers.biaffine import Biaffine


@pytest.mark.parametrize(("bilinear", "linear"), [(True, True), (True, False), (False, True)])
def test_scores_are_the_written_out_sum(bilinear, linear):
    torch.manual_seed(0)
    layer = Biaffine(4, 3, bilinear=bilinear, linear=linear).double()
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter)
    first, second = torch.randn(5, 4, dtype=torch.float64), torch.randn(5, 4, dtype=torch.float64)
    scores = layer(first, second)
    for p in range(5):
        for k in range(3):
            expected = layer.bias[k]
            if bilinear:
                for i in range(4):
                    for j in range(4):
                        expected = expected + first[p, i] * layer.bilinear[k, i, j] * second[p, j]
            if linear:
                for i in range(4):
                    expected = (
                        expected + layer.linear[k, i] * first[p, i] + layer.linear[k, 4 + i] * second[p, i]
                    )
            torch.testing.assert_close(scores[p, k], expected)


def test_gradients_are_right():
    torch.manual_seed(1)
    layer = Biaffine(3, 2).double()
    torch.nn.init.normal_(layer.bilinear)
    pair = [torch.randn(4, 3, dtype=torch.float64, requires_grad=True) for _ in range(2)]
    assert torch.autograd.gradcheck(lambda *x: layer(*x[:2]), (*pair, *layer.parameters()))


def test_no_pairs_give_no_scores():
    assert Biaffine(4, 3)(torch.zeros(0, 4), torch.zeros(0, 4)).shape == (0, 3)


def test_it_starts_with_zero_bilinear_and_orthonormal_linear_part():
    layer = Biaffine(5, 4)
    assert not layer.bilinear.any()
    torch.testing.assert_close(layer.linear @ layer.linear.T, torch.eye(4))
