"""The CRF's likelihood against the plain definition: every labelling written out and summed, in float64."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from biaffinity.decoding.labels import Labels
from biaffinity.layers import crf as module
from biaffinity.layers.crf import CRF, _Chain, _ScannedChain

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


def best_labels(crf: CRF, emissions: Tensor) -> Tensor:
    """The best labelling of each sequence."""
    paths = [enumerate_paths(crf, row.detach()) for row in emissions]
    return torch.tensor([max(scores, key=scores.__getitem__) for scores in paths])


@pytest.mark.parametrize(("seed", "transitions", "allowed"), CASES)
@pytest.mark.parametrize("size", [1, 2, SIZE])
def test_the_partition_is_the_sum_over_all_labellings(seed, transitions, allowed, size):
    crf = random_crf(seed, transitions=transitions, allowed=allowed)
    emissions = torch.randn(1, size, LABELS, dtype=torch.float64)
    scores = torch.tensor(list(enumerate_paths(crf, emissions[0]).values()), dtype=torch.float64)
    torch.testing.assert_close(crf.log_partition(emissions, torch.tensor([size]))[0], scores.logsumexp(0))


@pytest.mark.parametrize(("seed", "transitions", "allowed"), CASES)
@pytest.mark.parametrize("size", [1, 2, SIZE])
def test_the_likelihood_of_a_labelling_is_its_share_of_all(seed, transitions, allowed, size):
    crf = random_crf(seed, transitions=transitions, allowed=allowed)
    emissions = torch.randn(1, size, LABELS, dtype=torch.float64)
    paths = enumerate_paths(crf, emissions[0])
    expected = torch.tensor(list(paths.values()), dtype=torch.float64).log_softmax(0)
    every = emissions.expand(len(paths), -1, -1)
    found = crf.log_likelihood(every, torch.tensor(list(paths)), torch.full((len(paths),), size))
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize(("seed", "transitions", "allowed"), CASES)
def test_the_gradient_of_the_partition_is_the_marginal_of_each_label(seed, transitions, allowed):
    crf = random_crf(seed, transitions=transitions, allowed=allowed)
    emissions = torch.randn(1, SIZE, LABELS, dtype=torch.float64, requires_grad=True)
    paths = enumerate_paths(crf, emissions[0].detach())
    probabilities = torch.tensor(list(paths.values()), dtype=torch.float64).softmax(0)
    expected = torch.zeros(SIZE, LABELS, dtype=torch.float64)
    for path, probability in zip(paths, probabilities, strict=True):
        expected[range(SIZE), path] += probability
    crf.log_partition(emissions, torch.tensor([SIZE])).sum().backward()
    torch.testing.assert_close(emissions.grad[0], expected)


@pytest.mark.parametrize(("seed", "transitions", "allowed"), CASES)
def test_gradients_of_the_likelihood_are_right(seed, transitions, allowed):
    crf = random_crf(seed, transitions=transitions, allowed=allowed)
    emissions = torch.randn(3, SIZE, LABELS, dtype=torch.float64, requires_grad=True)
    lengths = torch.tensor([4, 1, 3])
    labels = best_labels(crf, emissions)
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


def test_without_transitions_it_is_a_softmax_over_each_token():
    crf = random_crf(5, transitions=False)
    emissions = torch.randn(2, SIZE, LABELS, dtype=torch.float64)
    lengths = torch.tensor([SIZE, SIZE])
    labels = torch.randint(LABELS, (2, SIZE))
    picked = emissions.log_softmax(2).gather(2, labels.unsqueeze(2)).sum((1, 2))
    torch.testing.assert_close(crf.log_likelihood(emissions, labels, lengths), picked)
    assert not list(crf.parameters())


def test_what_is_forbidden_has_no_likelihood():
    crf = random_crf(6, allowed=True).float()
    emissions = torch.randn(1, SIZE, LABELS) * 5
    paths = list(product(range(LABELS), repeat=SIZE))
    every = emissions.expand(len(paths), -1, -1)
    likelihood = crf.log_likelihood(every, torch.tensor(paths), torch.full((len(paths),), SIZE)).exp()
    pairs = crf._forbidden_pairs == 0
    for path, found in zip(paths, likelihood.tolist(), strict=True):
        legal = path[0] != 2 and path[-1] != 1 and all(pairs[a, b] for a, b in pairwise(path))
        assert (found > 0) is bool(legal)


def test_long_sequences_of_large_scores_stay_finite():
    torch.manual_seed(7)
    crf = random_crf(7).float()
    emissions = (100 * torch.randn(2, 2000, LABELS)).requires_grad_()
    likelihood = crf.log_likelihood(emissions, emissions.argmax(2), torch.tensor([2000, 1990]))
    likelihood.sum().backward()
    assert torch.isfinite(likelihood).all()
    assert torch.isfinite(emissions.grad).all()


# The scan that a GPU runs, beside the loop


@st.composite
def chains(draw: st.DrawFn) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Emissions, transitions, start, end and lengths of a batch, with scores small or large.

    In half of the cases only BILOU labellings over two types are allowed.
    """
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32)))
    constrained = draw(st.booleans())
    # Double precision tells labels apart whose scores differ by up to 700: at one token, or in the few
    # whose labels a constraint forces.
    scale = draw(st.sampled_from([0.1, 3.0, 80.0 if constrained else 300.0]))
    labels = 9 if constrained else draw(st.integers(1, 6))
    lengths = torch.tensor(draw(st.lists(st.integers(1, 20), min_size=1, max_size=4)))

    def scores(scale: float, *shape: int) -> Tensor:
        return scale * (2 * torch.rand(shape, generator=generator, dtype=torch.float64) - 1)

    size = int(lengths.max())
    emissions = scores(scale, len(lengths), size, labels)
    outside = torch.arange(size) >= lengths.unsqueeze(1)
    emissions[outside] = draw(st.sampled_from([0.0, 1e4, -1e4]))
    transitions, start, end = scores(3, labels, labels), scores(3, labels), scores(3, labels)
    if constrained:
        pairs, first, last = map(torch.from_numpy, Labels(("Loc", "Peop"), "bilou").allowed())
        pairs, first, last = (part.detach() for part in CRF(9, allowed=(pairs, first, last))._scores())
        transitions, start, end = transitions + pairs, start + first, end + last
    return emissions, transitions, start, end, lengths


@given(chains())
def test_the_scan_is_the_loop(case: tuple[Tensor, Tensor, Tensor, Tensor, Tensor]) -> None:
    loop, scan = _Chain(*case), _ScannedChain(*case)
    ours, theirs = scan.backward(), loop.backward()
    weight = torch.linspace(-1, 2, len(case[4]), dtype=torch.float64)[:, None, None]
    for found, expected in (
        (scan.log_partition(), loop.log_partition()),
        (scan.marginals(ours), loop.marginals(theirs)),
        (scan.pair_marginals(ours, weight), loop.pair_marginals(theirs, weight)),
    ):
        assert expected.isfinite().all()
        torch.testing.assert_close(found, expected, atol=1e-9, rtol=1e-9)


def test_gradients_by_the_scan_are_those_by_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    crf = random_crf(8, allowed=True)
    lengths = torch.tensor([7, 1, 4])
    emissions = torch.randn(3, 7, LABELS, dtype=torch.float64)
    gradients = []
    for chain in (_Chain, _ScannedChain):
        monkeypatch.setattr(module, "_Chain", chain)
        read = emissions.clone().requires_grad_()
        crf.zero_grad()
        (crf.log_partition(read, lengths) * torch.tensor([1.0, 2.0, -0.5])).sum().backward()
        gradients.append([read.grad, *(parameter.grad.clone() for parameter in crf.parameters())])
    for ours, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-10, rtol=0)


@pytest.mark.parametrize(("seed", "transitions", "allowed"), CASES)
def test_certainties_give_the_mean_over_the_labellings_that_they_tell_of(seed, transitions, allowed):
    crf = random_crf(seed, transitions=transitions, allowed=allowed)
    emissions = torch.randn(1, SIZE, LABELS, dtype=torch.float64)
    # Two labelled tokens that come together, then one by itself, then one outside.
    segments = [([1, 2], 0.75), ([1], 0.5), ([0], 1.0)]
    labels, certainty = torch.tensor([[1, 2, 1, 0]]), torch.tensor([[0.75, 0.75, 0.5, 1.0]])
    joined = torch.tensor([[True, False, False]])
    lengths = torch.tensor([SIZE])
    expected = torch.zeros(1, dtype=torch.float64)
    for held in product([True, False], repeat=2):
        weight, path = 1.0, []
        for (own, sure), there in zip(segments, (*held, True), strict=True):
            weight *= sure if there else 1 - sure
            path += own if there else [0] * len(own)
        expected += weight * crf.log_likelihood(emissions, torch.tensor([path]), lengths)
    found = crf.log_likelihood(emissions, labels, lengths, certainty.double(), joined)
    torch.testing.assert_close(found, expected)


def test_entire_certainty_is_the_likelihood_itself():
    crf = random_crf(5)
    emissions, labels = torch.randn(2, SIZE, LABELS, dtype=torch.float64), torch.tensor([[1, 2, 0, 1]] * 2)
    lengths = torch.tensor([SIZE, 2])
    sure, joined = torch.ones(2, SIZE, dtype=torch.float64), torch.zeros(2, SIZE - 1, dtype=torch.bool)
    torch.testing.assert_close(
        crf.log_likelihood(emissions, labels, lengths, sure, joined),
        crf.log_likelihood(emissions, labels, lengths),
    )
