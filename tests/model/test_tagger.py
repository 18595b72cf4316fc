"""The tagger's scores by their formula, its likelihood by every labelling of a short sentence."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any, Literal

import numpy as np
import pytest
import torch
from torch import Tensor

from biaffinity.decoding.labels import Labels
from biaffinity.model.tagger import Tagger
from model.tiny import stir, tiny_config

WIDTH = 5


def labels_of(types: int, scheme: Literal["bilou", "types"] = "bilou") -> Labels:
    return Labels(tuple("ABCD"[:types]), scheme)


def tagger(labels: Labels, **switches: Any) -> Tagger:
    torch.manual_seed(0)
    made = Tagger(tiny_config(dropout=0.0, **switches).model, labels, WIDTH)
    stir(made, scale=1.0)
    return made.double()


def surprises(made: Tagger, emissions: Tensor) -> dict[tuple[int, ...], float]:
    """The loss of every labelling of one sentence [size, labels]."""
    size, labels = emissions.shape
    paths = list(product(range(labels), repeat=size))
    losses = made.loss(
        emissions.expand(len(paths), -1, -1), torch.tensor(paths), torch.full((len(paths),), size)
    )
    return dict(zip(paths, losses.tolist(), strict=True))


def test_the_emissions_are_a_tanh_layer_and_a_linear_one_over_the_states() -> None:
    made = tagger(labels_of(1))
    vectors, lengths = torch.randn(2, 4, WIDTH, dtype=torch.float64), torch.tensor([4, 2])
    states = made.lstm(vectors, lengths)
    hidden = torch.tanh(states @ made.hidden.weight.T + made.hidden.bias)
    torch.testing.assert_close(
        made(vectors, lengths), hidden @ made.output.weight.T + made.output.bias, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("scheme", ["bilou", "types"])
def test_every_label_has_an_emission(scheme: Literal["bilou", "types"]) -> None:
    labels = labels_of(3, scheme)
    made = tagger(labels)
    found = made(torch.randn(2, 4, WIDTH, dtype=torch.float64), torch.tensor([4, 2]))
    assert found.shape == (2, 4, len(labels))


@pytest.mark.parametrize(
    ("types", "size", "switches"),
    [
        (1, 4, {}),
        (2, 3, {}),
        (1, 4, {"tagger": "softmax"}),
        (1, 4, {"constrained": True}),
        (2, 3, {"constrained": True, "tagger": "softmax"}),
    ],
    ids=str,
)
def test_the_losses_of_all_labellings_are_those_of_probabilities(
    types: int, size: int, switches: dict[str, Any]
) -> None:
    made = tagger(labels_of(types), **switches)
    emissions = 2 * torch.randn(size, 1 + 4 * types, dtype=torch.float64)
    losses = surprises(made, emissions)
    assert sum(np.exp(-loss) for loss in losses.values()) == pytest.approx(1)


def test_the_loss_is_the_surprise_of_the_gold_labels() -> None:
    made = tagger(labels_of(1))
    lengths = torch.tensor([4, 2])
    transitions, start, end = (part.detach() for part in (made.crf.transitions, made.crf.start, made.crf.end))
    emissions = torch.randn(2, 4, 5, dtype=torch.float64)
    labels = torch.randint(5, (2, 4))
    found = made.loss(emissions, labels, lengths)

    def score(row: int, path: tuple[int, ...]) -> float:
        steps = [float(emissions[row, place, label]) for place, label in enumerate(path)]
        joints = [float(transitions[pair]) for pair in pairwise(path)]
        return sum(steps) + sum(joints) + float(start[path[0]]) + float(end[path[-1]])

    for row, length in enumerate(lengths.tolist()):
        everything = sum(np.exp(score(row, path)) for path in product(range(5), repeat=length))
        gold = score(row, tuple(labels[row, :length].tolist()))
        assert found[row].item() == pytest.approx(np.log(everything) - gold)


def test_a_softmax_tagger_judges_each_token_alone() -> None:
    made = tagger(labels_of(2), tagger="softmax")
    emissions, gold = torch.randn(2, 5, 9, dtype=torch.float64), torch.randint(9, (2, 5))
    expected = torch.nn.functional.cross_entropy(emissions.transpose(1, 2), gold, reduction="none").sum(1)
    torch.testing.assert_close(made.loss(emissions, gold, torch.tensor([5, 5])), expected)


@pytest.mark.parametrize("kind", ["crf", "softmax"])
def test_under_constraint_illegal_labellings_are_impossible_and_no_other(kind: str) -> None:
    labels = labels_of(1)
    made = tagger(labels, constrained=True, tagger=kind)
    pairs, first, last = labels.allowed()
    for path, loss in surprises(made, torch.randn(3, 5, dtype=torch.float64)).items():
        legal = first[path[0]] and last[path[-1]] and pairs[path[0], path[1]] and pairs[path[1], path[2]]
        assert (np.exp(-loss) > 0) == legal, path


@pytest.mark.parametrize("kind", ["crf", "softmax"])
def test_without_constraint_every_labelling_is_possible(kind: str) -> None:
    made = tagger(labels_of(1), tagger=kind)
    assert max(surprises(made, torch.randn(3, 5, dtype=torch.float64)).values()) < 100
