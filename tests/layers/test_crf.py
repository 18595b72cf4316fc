"""The CRF against the plain definition: every labelling written out and summed, in float64."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
import torch
from torch import Tensor

from biaffinity.layers.crf import CRF

LABELS, SIZE = 3, 4


def random_crf(seed: int, *, transitions: bool = True, allowed: bool = False) -> CRF:
    torch.manual_seed(seed)
    rule = None
    if allowed:
        rule = (
            torch.rand(LABELS, LABELS) < 0.7,
            torch.tensor([True, True, False]),
            torch.tensor([True, False, True]),
        )
        rule[0].fill_diagonal_(True)
        rule[0][1, 0] = rule[0][0, 2] = True
    crf = CRF(LABELS, transitions=transitions, allowed=rule).double()
    if transitions:
        for parameter in crf.parameters():
            torch.nn.init.normal_(parameter)
    return crf


def enumerate_paths(crf: CRF, emissions: Tensor) -> dict[tuple[int, ...], float]:
    """The score of every labelling of one sequence [size, labels]."""
    transitions, start, end = (part.detach() for part in crf._scores())
    scores = {}
    for path in product(range(LABELS), repeat=len(emissions)):
        score = start[path[0]] + end[path[-1]] + sum(emissions[t, y] for t, y in enumerate(path))
        score = score + sum(transitions[a, b] for a, b in pairwise(path))
        scores[path] = float(score)
    return scores


CASES = [(0, True, False), (1, True, True), (2, False, False), (3, False, True)]


@pytest.mark.parametrize(("seed", "transitions", "allowed"), CASES)
@pytest.mark.parametrize("size", [1, 2, SIZE])
def test_partition_likelihood_viterbi_and_marginals_equal_enumeration(seed, transitions, allowed, size):
    crf = random_crf(seed, transitions=transitions, allowed=allowed)
    emissions = torch.randn(1, size, LABELS, dtype=torch.float64)
    lengths = torch.tensor([size])
    paths = enumerate_paths(crf, emissions[0])
    partition = torch.tensor(list(paths.values()), dtype=torch.float64).logsumexp(0)
    torch.testing.assert_close(crf.log_partition(emissions, lengths)[0], partition)
    best = max(paths, key=paths.__getitem__)
    assert tuple(crf.viterbi(emissions, lengths)[0].tolist()) == best
    likelihood = crf.log_likelihood(emissions, torch.tensor([best]), lengths)[0]
    torch.testing.assert_close(likelihood, torch.tensor(paths[best], dtype=torch.float64) - partition)
    expected = torch.zeros(size, LABELS, dtype=torch.float64)
    for path, score in paths.items():
        for t, y in enumerate(path):
            expected[t, y] += (score - partition).exp()
    torch.testing.assert_close(crf.marginals(emissions, lengths)[0], expected)


@pytest.mark.parametrize(("seed", "transitions", "allowed"), CASES)
def test_gradients_of_the_likelihood_are_right(seed, transitions, allowed):
    crf = random_crf(seed, transitions=transitions, allowed=allowed)
    emissions = torch.randn(3, SIZE, LABELS, dtype=torch.float64, requires_grad=True)
    lengths = torch.tensor([4, 1, 3])
    labels = crf.viterbi(emissions, lengths)
    weights = torch.tensor([1.0, 2.0, -0.5], dtype=torch.float64)
    parameters = tuple(crf.parameters())

    def loss(emissions: Tensor, *_: Tensor) -> Tensor:
        return (crf.log_likelihood(emissions, labels, lengths) * weights).sum()

    assert torch.autograd.gradcheck(loss, (emissions, *parameters))


def test_a_padded_batch_equals_its_sentences_one_by_one():
    crf = random_crf(4)
    lengths = torch.tensor([5, 1, 3])
    emissions = torch.randn(3, 5, LABELS, dtype=torch.float64) * 3
    emissions[1, 1:] = emissions[2, 3:] = 1e4  # padding must not matter, however large
    labels = torch.randint(LABELS, (3, 5))
    emissions.requires_grad_()
    together = crf.log_likelihood(emissions, labels, lengths)
    together.sum().backward()
    assert torch.isfinite(emissions.grad).all()
    for row, length in enumerate(lengths.tolist()):
        alone = emissions[row : row + 1, :length].detach().requires_grad_()
        only = torch.tensor([length])
        single = crf.log_likelihood(alone, labels[row : row + 1, :length], only)
        single.sum().backward()
        torch.testing.assert_close(together[row : row + 1], single)
        torch.testing.assert_close(emissions.grad[row, :length], alone.grad[0])
        assert not emissions.grad[row, length:].any()
        batch_path = crf.viterbi(emissions, lengths)[row]
        assert batch_path[:length].tolist() == crf.viterbi(alone, only)[0].tolist()
        assert not batch_path[length:].any()
        torch.testing.assert_close(
            crf.marginals(emissions, lengths)[row, :length], crf.marginals(alone, only)[0]
        )


def test_without_transitions_it_is_a_softmax_over_each_token():
    crf = random_crf(5, transitions=False)
    emissions = torch.randn(2, SIZE, LABELS, dtype=torch.float64)
    lengths = torch.tensor([SIZE, SIZE])
    labels = torch.randint(LABELS, (2, SIZE))
    picked = emissions.log_softmax(2).gather(2, labels.unsqueeze(2)).sum((1, 2))
    torch.testing.assert_close(crf.log_likelihood(emissions, labels, lengths), picked)
    torch.testing.assert_close(crf.marginals(emissions, lengths), emissions.softmax(2))
    assert crf.viterbi(emissions, lengths).equal(emissions.argmax(2))
    assert not list(crf.parameters())


def test_forbidden_transitions_never_come_out():
    crf = random_crf(6, allowed=True).float()
    emissions = torch.randn(50, 8, LABELS) * 5
    paths = crf.viterbi(emissions, torch.full((50,), 8))
    bad = crf._forbidden_pairs[paths[:, :-1], paths[:, 1:]].abs().sum()
    assert bad == 0
    assert not (paths[:, 0] == 2).any()
    assert not (paths[:, -1] == 1).any()
