"""Decoding of the chain beside the list of all labellings, and beside the likelihood of training."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.decoding.arrays import Bools, Floats, Ints
from biaffinity.decoding.crf import FORBIDDEN, CRFDecoder
from biaffinity.decoding.labels import Labels, Spans
from decoding.labellings import labellings

LABELS = 3
Problem = tuple[CRFDecoder, Floats, Ints]
#: Every label may follow itself, and no two others but 1 after 0 and 2 after 1.
RULE: tuple[Bools, Bools, Bools] = (
    np.eye(LABELS, dtype=bool) | np.eye(LABELS, k=1, dtype=bool),
    np.array([True, True, False]),
    np.array([True, False, True]),
)


def decoder_of(
    random: np.random.Generator, scale: float, allowed: tuple[Bools, Bools, Bools] | None = None
) -> CRFDecoder:
    transitions, start, end = (
        random.normal(0, scale, shape).astype(np.float32) for shape in ((LABELS, LABELS), LABELS, LABELS)
    )
    return CRFDecoder(transitions, start, end, allowed)


def marginals_of(decoder: CRFDecoder, emissions: Floats) -> Floats:
    """The probability of every label at every token, from all labellings."""
    length = len(emissions)
    marginals = np.zeros(emissions.shape)
    for labels, probability in labellings(decoder, emissions).items():
        marginals[np.arange(length), labels] += probability
    return marginals


def found_marginals(decoder: CRFDecoder, emissions: Floats, lengths: Ints) -> Floats:
    """[batch, size, labels]."""
    posterior = decoder.posterior(emissions, lengths)
    return (posterior.forward * posterior.backward).swapaxes(0, 1)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """A decoder, emissions [batch, size, labels] and lengths."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    lengths = np.array(draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)))
    emissions = random.normal(0, 2, (len(lengths), lengths.max(), LABELS)).astype(np.float32)
    rule = RULE if draw(st.booleans()) else None
    return decoder_of(random, draw(st.sampled_from([0.0, 1.0, 3.0])), rule), emissions, lengths


def spans_within(data: st.DataObject, lengths: Ints) -> Spans:
    """One span in each sequence."""
    start = np.array([data.draw(st.integers(0, length - 1)) for length in lengths])
    end = np.array([data.draw(st.integers(s + 1, n)) for s, n in zip(start, lengths, strict=True)])
    rows = np.arange(len(lengths))
    return Spans(rows, start, end, np.zeros_like(rows))


@given(problems())
def test_viterbi_finds_the_best_of_all_labellings(problem: Problem) -> None:
    decoder, emissions, lengths = problem
    found = decoder.viterbi(emissions, lengths)
    for row, length in enumerate(lengths):
        every = labellings(decoder, emissions[row, :length])
        assert every[tuple(found[row, :length])] == pytest.approx(max(every.values()), rel=1e-4)


@given(problems())
def test_viterbi_leaves_label_0_at_padding(problem: Problem) -> None:
    decoder, emissions, lengths = problem
    found = decoder.viterbi(emissions, lengths)
    assert found.shape == emissions.shape[:2]
    assert not found[np.arange(found.shape[1]) >= lengths[:, None]].any()


@given(problems())
def test_forward_times_backward_is_the_marginal(problem: Problem) -> None:
    decoder, emissions, lengths = problem
    marginals = found_marginals(decoder, emissions, lengths)
    for row, length in enumerate(lengths):
        expected = marginals_of(decoder, emissions[row, :length])
        np.testing.assert_allclose(marginals[row, :length], expected, atol=1e-5)


@given(problems(), st.data())
def test_a_span_scores_what_the_labellings_with_its_labels_do(problem: Problem, data: st.DataObject) -> None:
    decoder, emissions, lengths = problem
    labels = decoder.viterbi(emissions, lengths)
    spans = spans_within(data, lengths)
    found = decoder.span_scores(emissions, lengths, labels, spans)
    for row, (first, last) in enumerate(zip(spans.start, spans.end, strict=True)):
        wanted = tuple(labels[row, first:last])
        every = labellings(decoder, emissions[row, : lengths[row]])
        expected = sum(p for path, p in every.items() if path[first:last] == wanted)
        assert found[row] == pytest.approx(expected, abs=1e-5)


@given(problems(), st.data())
def test_what_stands_at_padding_does_not_matter(problem: Problem, data: st.DataObject) -> None:
    decoder, emissions, lengths = problem
    spans = spans_within(data, lengths)
    changed = emissions.copy()
    changed[np.arange(emissions.shape[1]) >= lengths[:, None]] = [1e4, -1e4, 30]
    labels = decoder.viterbi(emissions, lengths)
    np.testing.assert_array_equal(decoder.viterbi(changed, lengths), labels)
    np.testing.assert_allclose(
        decoder.span_scores(changed, lengths, labels, spans),
        decoder.span_scores(emissions, lengths, labels, spans),
        atol=1e-6,
    )


def test_what_is_forbidden_is_never_chosen_and_has_no_probability() -> None:
    random = np.random.default_rng(0)
    labels = Labels(("Loc", "Peop"), "bilou")
    pairs, first, last = labels.allowed()
    size = len(labels)
    scores = (random.normal(0, 3, shape).astype(np.float32) for shape in ((size, size), size, size))
    decoder = CRFDecoder(*scores, labels.allowed())
    lengths = random.integers(1, 12, 40)
    emissions = random.normal(0, 3, (40, lengths.max(), size)).astype(np.float32)
    found = decoder.viterbi(emissions, lengths)
    marginals = found_marginals(decoder, emissions, lengths)
    for row, length in enumerate(lengths):
        path = found[row, :length]
        assert first[path[0]]
        assert last[path[-1]]
        assert pairs[path[:-1], path[1:]].all()
        assert not marginals[row, 0][~first].any()
        assert not marginals[row, length - 1][~last].any()


def test_scores_of_what_is_allowed_are_left_as_they_are() -> None:
    random = np.random.default_rng(1)
    free = decoder_of(random, 2.0)
    bound = CRFDecoder(free.transitions, free.start, free.end, RULE)
    parts = zip(*((d.transitions, d.start, d.end) for d in (free, bound)), RULE, strict=True)
    for before, after, legal in parts:
        np.testing.assert_array_equal(after[legal], before[legal])
        assert (after[~legal] < -9000).all()


def test_without_transitions_each_token_is_a_softmax_of_its_own() -> None:
    emissions = np.random.default_rng(2).normal(0, 2, (2, 6, LABELS)).astype(np.float32)
    lengths = np.array([6, 6])
    decoder = CRFDecoder.without_transitions(LABELS)
    np.testing.assert_array_equal(decoder.viterbi(emissions, lengths), emissions.argmax(axis=2))
    weights = np.exp(emissions.astype(np.float64))
    expected = weights / weights.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(found_marginals(decoder, emissions, lengths), expected, atol=1e-6)


def test_without_transitions_labellings_may_still_have_to_be_legal() -> None:
    random = np.random.default_rng(3)
    decoder = CRFDecoder.without_transitions(LABELS, RULE)
    found = decoder.viterbi(random.normal(0, 9, (50, 6, LABELS)).astype(np.float32), np.full(50, 6))
    pairs, first, last = RULE
    assert pairs[found[:, :-1], found[:, 1:]].all()
    assert first[found[:, 0]].all()
    assert last[found[:, -1]].all()


#: O B I L U, and B I L and U within padding: the spans of each row.
BOUNDARIES = np.array([[0, 1, 2, 3, 4], [4, 0, 1, 3, 0]])
LENGTHS = np.array([5, 4])
GIVEN = ((0, 1, 4), (0, 4, 5), (1, 0, 1), (1, 2, 4))


@pytest.mark.parametrize("transitions", [True, False], ids=["crf", "softmax"])
@given(seed=st.integers(0, 2**32))
def test_a_given_span_has_the_type_whose_log_marginals_sum_highest(transitions: bool, seed: int) -> None:
    random = np.random.default_rng(seed)
    decoder = decoder_of(random, 1.0) if transitions else CRFDecoder.without_transitions(LABELS)
    emissions = random.normal(0, 2, (2, 5, LABELS)).astype(np.float32)
    found = decoder.types_within(emissions, LENGTHS, BOUNDARIES)
    logs = [np.log(marginals_of(decoder, emissions[row, :length])) for row, length in enumerate(LENGTHS)]
    expected = np.zeros((2, 5), dtype=int)
    for row, first, last in GIVEN:
        expected[row, first:last] = 1 + logs[row][first:last, 1:].sum(axis=0).argmax()
    np.testing.assert_array_equal(found, expected)


def test_neighbouring_given_spans_may_have_different_types() -> None:
    emissions = np.array([[[0, 9, 0], [0, 0, 9], [0, 0, 9]]], dtype=np.float32)
    decoder = CRFDecoder.without_transitions(LABELS)
    assert decoder.types_within(emissions, np.array([3]), np.array([[4, 1, 3]])).tolist() == [[1, 2, 2]]


def test_long_sequences_of_large_scores_stay_finite() -> None:
    random = np.random.default_rng(0)
    decoder = decoder_of(random, 10.0)
    emissions = random.normal(0, 100, (2, 2000, LABELS)).astype(np.float32)
    lengths = np.array([2000, 1990])
    labels = decoder.viterbi(emissions, lengths)
    start = np.arange(0, 1980, 3)
    rows = np.arange(len(start)) % 2
    scores = decoder.span_scores(emissions, lengths, labels, Spans(rows, start, start + 3, rows))
    assert np.isfinite(scores).all()
    assert ((scores >= 0) & (scores <= 1)).all()
    assert scores.max() > 0.99


def trained_crf(decoder: CRFDecoder, *, transitions: bool, allowed: bool) -> Any:
    """The CRF of training with the scores that the decoder was made of."""
    crf = pytest.importorskip("biaffinity.layers.crf", reason="needs PyTorch", exc_type=ImportError)
    import torch

    rule = tuple(torch.from_numpy(part) for part in RULE) if allowed else None
    made = crf.CRF(LABELS, transitions=transitions, allowed=rule)
    for part in ("transitions", "start", "end"):
        getattr(made, part).data.copy_(torch.from_numpy(getattr(decoder, part)))
    return made


def likelihoods(crf: Any, emissions: Floats) -> dict[tuple[int, ...], float]:
    """The probability of every labelling of one sequence as training has it."""
    import torch

    every = list(itertools.product(range(LABELS), repeat=len(emissions)))
    with torch.no_grad():
        logs = crf.log_likelihood(
            torch.from_numpy(emissions).expand(len(every), -1, -1),
            torch.tensor(every),
            torch.full((len(every),), len(emissions)),
        )
    return dict(zip(every, logs.double().exp().tolist(), strict=True))


@pytest.mark.parametrize("transitions", [True, False], ids=["crf", "softmax"])
@pytest.mark.parametrize("allowed", [False, True], ids=["free", "constrained"])
@pytest.mark.parametrize("seed", range(3))
def test_decoding_goes_by_the_likelihood_of_training(transitions: bool, allowed: bool, seed: int) -> None:
    random = np.random.default_rng(seed)
    plain = decoder_of(random, 1.5 if transitions else 0.0)
    decoder = CRFDecoder(plain.transitions, plain.start, plain.end, RULE if allowed else None)
    crf = trained_crf(plain, transitions=transitions, allowed=allowed)
    lengths = np.array([5, 3])
    emissions = random.normal(0, 2, (2, 5, LABELS)).astype(np.float32)
    labels = decoder.viterbi(emissions, lengths)
    where = [
        (row, a, b) for row in (0, 1) for a in range(lengths[row]) for b in range(a + 1, lengths[row] + 1)
    ]
    rows, start, end = np.array(where).T
    scores = decoder.span_scores(emissions, lengths, labels, Spans(rows, start, end, rows))
    tables = [likelihoods(crf, emissions[row, :length]) for row, length in enumerate(lengths)]
    for row, length in enumerate(lengths):
        assert max(tables[row], key=tables[row].__getitem__) == tuple(labels[row, :length])
    for (row, a, b), found in zip(where, scores, strict=True):
        expected = sum(p for path, p in tables[row].items() if path[a:b] == tuple(labels[row, a:b]))
        assert found == pytest.approx(expected, abs=1e-5)


def test_what_is_forbidden_scores_as_in_training() -> None:
    crf = pytest.importorskip("biaffinity.layers.crf", reason="needs PyTorch", exc_type=ImportError)
    assert crf.FORBIDDEN == FORBIDDEN
