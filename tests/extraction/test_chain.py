"""Decoding of the chain beside the list of all labellings."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.encoding.labels import Labels, Spans
from biaffinity.extraction.chain import FORBIDDEN, Chain

LABELS = 3


def chain_of(random: np.random.Generator, scale: float) -> Chain:
    parts = (random.normal(0, scale, shape) for shape in ((LABELS, LABELS), LABELS, LABELS))
    return Chain(*(part.astype(np.float32) for part in parts))


def score(chain: Chain, emissions: np.ndarray, labels: tuple[int, ...]) -> float:
    """The score of one labelling, by its definition; emissions [length, labels]."""
    total = float(chain.start[labels[0]]) + float(chain.end[labels[-1]])
    total += sum(float(emissions[t, label]) for t, label in enumerate(labels))
    return total + sum(float(chain.transitions[a, b]) for a, b in itertools.pairwise(labels))


def labellings(chain: Chain, emissions: np.ndarray) -> dict[tuple[int, ...], float]:
    """Every labelling with its probability."""
    every = list(itertools.product(range(emissions.shape[1]), repeat=len(emissions)))
    weights = np.exp([score(chain, emissions, labels) for labels in every])
    return dict(zip(every, weights / weights.sum(), strict=True))


@st.composite
def problems(draw: st.DrawFn) -> tuple[Chain, np.ndarray, np.ndarray]:
    """A chain, emissions [size, batch, labels] and lengths."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    lengths = np.array(draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)))
    emissions = random.normal(0, 2, (lengths.max(), len(lengths), LABELS)).astype(np.float32)
    return chain_of(random, draw(st.sampled_from([0.0, 1.0, 3.0]))), emissions, lengths


@given(problems())
def test_viterbi_finds_the_best_of_all_labellings(problem) -> None:
    chain, emissions, lengths = problem
    found = chain.viterbi(emissions, lengths)
    for row, length in enumerate(lengths):
        every = labellings(chain, emissions[:length, row])
        assert every[tuple(found[:length, row])] == pytest.approx(max(every.values()), rel=1e-4)
        assert not found[length:, row].any()


@given(problems())
def test_forward_times_backward_is_the_marginal(problem) -> None:
    chain, emissions, lengths = problem
    posterior = chain.posterior(emissions, lengths)
    marginals = posterior.forward * posterior.backward
    for row, length in enumerate(lengths):
        expected = np.zeros((length, LABELS))
        for labels, probability in labellings(chain, emissions[:length, row]).items():
            expected[np.arange(length), labels] += probability
        np.testing.assert_allclose(marginals[:length, row], expected, atol=1e-5)


@given(problems(), st.data())
def test_a_span_scores_what_the_labellings_with_its_labels_do(problem, data: st.DataObject) -> None:
    chain, emissions, lengths = problem
    labels = chain.viterbi(emissions, lengths)
    start = np.array([data.draw(st.integers(0, length - 1)) for length in lengths])
    end = np.array([data.draw(st.integers(s + 1, n)) for s, n in zip(start, lengths, strict=True)])
    rows = np.arange(len(lengths))
    found = chain.span_scores(emissions, lengths, labels, Spans(rows, start, end, np.zeros_like(rows)))
    for row, (first, last) in enumerate(zip(start, end, strict=True)):
        wanted = tuple(labels[first:last, row])
        every = labellings(chain, emissions[: lengths[row], row])
        expected = sum(p for path, p in every.items() if path[first:last] == wanted)
        assert found[row] == pytest.approx(expected, abs=1e-5)


def test_what_is_forbidden_is_never_chosen_and_has_no_probability() -> None:
    random = np.random.default_rng(0)
    labels = Labels(("Loc", "Peop"), "bilou")
    pairs, first, last = labels.allowed()
    chain = Chain(*(np.where(may, np.float32(0), FORBIDDEN) for may in (pairs, first, last)))
    lengths = random.integers(1, 12, 40)
    emissions = random.normal(0, 3, (lengths.max(), 40, len(labels))).astype(np.float32)
    found = chain.viterbi(emissions, lengths)
    posterior = chain.posterior(emissions, lengths)
    marginals = posterior.forward * posterior.backward
    for row, length in enumerate(lengths):
        path = found[:length, row]
        assert first[path[0]]
        assert last[path[-1]]
        assert pairs[path[:-1], path[1:]].all()
        assert not marginals[0, row][~first].any()
        assert not marginals[length - 1, row][~last].any()


@given(st.integers(0, 2**32))
def test_a_given_span_has_the_type_whose_log_marginals_sum_highest(seed: int) -> None:
    random = np.random.default_rng(seed)
    boundaries = np.array([[0, 1, 2, 3, 4], [4, 0, 1, 3, 0]]).T  # O, B, I, L, U
    lengths = np.array([5, 4])
    chain = chain_of(random, 1.0)
    emissions = random.normal(0, 2, (5, 2, LABELS)).astype(np.float32)
    found = chain.types_within(emissions, lengths, boundaries)
    posterior = chain.posterior(emissions, lengths)
    logs = np.log(posterior.forward * posterior.backward)
    expected = np.zeros((5, 2), dtype=int)
    for row, first, last in ((0, 1, 4), (0, 4, 5), (1, 0, 1), (1, 2, 4)):
        expected[first:last, row] = 1 + logs[first:last, row, 1:].sum(axis=0).argmax()
    np.testing.assert_array_equal(found, expected)


def test_long_sequences_of_large_scores_stay_finite() -> None:
    random = np.random.default_rng(0)
    chain = chain_of(random, 10.0)
    emissions = random.normal(0, 100, (2000, 2, LABELS)).astype(np.float32)
    lengths = np.array([2000, 1990])
    labels = chain.viterbi(emissions, lengths)
    rows, start = np.array([0, 1]), np.array([1500, 10])
    scores = chain.span_scores(emissions, lengths, labels, Spans(rows, start, start + 3, rows))
    assert np.isfinite(scores).all()
    assert ((scores >= 0) & (scores <= 1)).all()


def test_what_is_forbidden_scores_as_in_training() -> None:
    crf = pytest.importorskip("biaffinity.layers.crf", reason="needs PyTorch", exc_type=ImportError)
    assert crf.FORBIDDEN == FORBIDDEN
