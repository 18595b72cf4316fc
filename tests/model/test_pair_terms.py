"""The terms of a pair's score against their written-out sums."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from biaffinity.model.pair_terms import Candidates, bilinear, chosen_terms, context, linear
from model.tiny import SIZES, stir, tiny_config

CLASSES, WIDTH, SIZE = 3, 4, SIZES["projection"]
CONFIG = tiny_config(dropout=0.0).model
#: Where five entities stand: sentence, start, end; and pairs of them, neighbours and both orders included.
PLACES = torch.tensor([(0, 0, 2), (0, 2, 3), (0, 6, 7), (1, 1, 3), (1, 4, 5)])
PAIRS = torch.tensor([(0, 1), (1, 0), (0, 2), (2, 0), (3, 4)])
TERMS: dict[str, Any] = {"bilinear": bilinear.Term, "linear": linear.Term, "context": context.Term}


def term_of(name: str) -> Any:
    term = TERMS[name](CONFIG, WIDTH, CLASSES)
    stir(term)
    return term.double()


def candidates(pairs: Tensor = PAIRS) -> Candidates:
    torch.manual_seed(0)
    states = torch.randn(2, 7, WIDTH, dtype=torch.float64)
    heads, tails = torch.randn(2, len(PLACES), SIZE, dtype=torch.float64)
    return Candidates(states, heads, tails, *PLACES.unbind(1), *pairs.unbind(1))


def written_out(name: str, term: Any, pairs: Candidates, head: int, tail: int, k: int) -> Tensor:
    """The score of class ``k``, number by number."""
    one, other = pairs.heads[head], pairs.tails[tail]
    total = torch.zeros((), dtype=torch.float64)
    if name == "bilinear":
        for i in range(SIZE):
            for j in range(SIZE):
                total = total + one[i] * term.weight[k, i, j] * other[j]
    elif name == "linear":
        for i in range(SIZE):
            total = total + term.weight[k, i] * one[i] + term.weight[k, SIZE + i] * other[i]
    else:
        (sentence, _, after), (_, before, _) = sorted([PLACES[head].tolist(), PLACES[tail].tolist()])
        for i in range(SIZE):
            between = [
                torch.tanh(term.projection.weight[i] @ state + term.projection.bias[i])
                for state in pairs.states[sentence, after:before]
            ]
            if between:
                total = total + term.output.weight[k, i] * torch.stack(between).max()
    return total


@pytest.mark.parametrize("name", TERMS)
def test_scores_are_the_written_out_sum(name: str) -> None:
    term, pairs = term_of(name), candidates()
    scores = term(pairs)
    assert scores.shape == (len(PAIRS), CLASSES)
    for row, (head, tail) in enumerate(PAIRS.tolist()):
        for k in range(CLASSES):
            torch.testing.assert_close(scores[row, k], written_out(name, term, pairs, head, tail, k))


@pytest.mark.parametrize("name", TERMS)
def test_gradients_are_right(name: str) -> None:
    term, pairs = term_of(name), candidates()
    values = [part.requires_grad_() for part in (pairs.states, pairs.heads, pairs.tails)]

    def scores(states: Tensor, heads: Tensor, tails: Tensor, *_: Tensor) -> Tensor:
        result: Tensor = term(Candidates(states, heads, tails, *PLACES.unbind(1), *PAIRS.unbind(1)))
        return result

    assert torch.autograd.gradcheck(scores, (*values, *term.parameters()))


@pytest.mark.parametrize("name", TERMS)
def test_no_pairs_have_no_scores(name: str) -> None:
    assert term_of(name)(candidates(PAIRS[:0])).shape == (0, CLASSES)


def test_the_bilinear_term_starts_at_zero() -> None:
    assert not bilinear.Term(CONFIG, WIDTH, CLASSES).weight.any()


def test_the_linear_term_starts_orthonormal() -> None:
    weight = linear.Term(CONFIG, WIDTH, CLASSES).weight
    torch.testing.assert_close(weight @ weight.T, torch.eye(CLASSES))


def test_the_term_of_the_context_starts_at_zero_and_can_leave_it() -> None:
    term = context.Term(CONFIG, WIDTH, CLASSES).double()
    scores = term(candidates())
    assert not scores.any()
    scores.sum().backward()
    assert term.output.weight.grad.any()


@pytest.mark.parametrize(
    "switches",
    [(True, True, False), (True, False, True), (False, True, False), (True, True, True)],
    ids=str,
)
def test_the_terms_are_those_that_are_switched_on(switches: tuple[bool, ...]) -> None:
    config = tiny_config(**dict(zip(TERMS, switches, strict=True))).model
    terms = chosen_terms(config, WIDTH, CLASSES)
    wanted = {name for name, used in zip(TERMS, switches, strict=True) if used}
    assert set(terms) == wanted
    assert all(type(term) is TERMS[name] for name, term in terms.items())
