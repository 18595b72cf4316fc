"""The tagger's probabilities and best types against the sum over every labelling of a short sentence."""

from __future__ import annotations

from itertools import product
from typing import Any, Literal

import pytest
import torch
from torch import Tensor

from biaffinity.encoding.labels import Labels
from biaffinity.model.tagger import Tagger
from model.tiny import stir, tiny_config

WIDTH = 5


def tagger(types: int, scheme: Literal["bilou", "types"], **switches: Any) -> Tagger:
    torch.manual_seed(0)
    config = tiny_config(setup=1 if scheme == "bilou" else 2, dropout=0.0, **switches).model
    made = Tagger(config, Labels(tuple("ABCD"[:types]), scheme), WIDTH)
    stir(made, scale=1.0)
    return made.double()


def probabilities(made: Tagger, emissions: Tensor) -> dict[tuple[int, ...], float]:
    """The probability of every labelling of one sentence [size, labels]."""
    size, labels = emissions.shape
    paths = list(product(range(labels), repeat=size))
    scores = made.crf.path_score(
        emissions.expand(len(paths), -1, -1), torch.tensor(paths), torch.full((len(paths),), size)
    )
    return dict(zip(paths, scores.softmax(0).tolist(), strict=True))


@pytest.mark.parametrize(
    ("types", "size", "switches"),
    [
        (1, 5, {}),
        (2, 3, {}),
        (1, 4, {"tagger": "softmax"}),
        (1, 4, {"constrained": True}),
        (2, 3, {"constrained": True, "tagger": "softmax"}),
    ],
)
def test_a_span_s_score_is_the_probability_of_its_labels(
    types: int, size: int, switches: dict[str, Any]
) -> None:
    made = tagger(types, "bilou", **switches)
    lengths = torch.tensor([size, size - 1])
    emissions = 2 * torch.randn(2, size, 1 + 4 * types, dtype=torch.float64)
    labels = made.crf.viterbi(emissions, lengths)
    where = [(row, a, b) for row in (0, 1) for a in range(size - 1) for b in range(a + 1, size + 1 - row)]
    sentence, start, end = torch.tensor(where).unbind(1)
    scores = made.span_scores(emissions, lengths, labels, sentence, start, end).tolist()
    tables = [probabilities(made, emissions[row, : lengths[row]]) for row in (0, 1)]
    for (row, a, b), score in zip(where, scores, strict=True):
        given = tuple(labels[row, a:b].tolist())
        expected = sum(p for path, p in tables[row].items() if path[a:b] == given)
        assert score == pytest.approx(expected, abs=1e-6)
        assert 0 <= score <= 1


def test_scores_stay_within_zero_and_one_on_long_and_sure_sentences() -> None:
    made = tagger(2, "bilou").float()
    lengths = torch.tensor([400, 3])
    emissions = 30 * torch.randn(2, 400, 9)
    labels = made.crf.viterbi(emissions, lengths)
    start = torch.arange(0, 400, 2)
    scores = made.span_scores(emissions, lengths, labels, torch.zeros_like(start), start, start + 1)
    assert torch.isfinite(scores).all()
    assert (scores >= 0).all()
    assert (scores <= 1).all()
    assert scores.max() > 0.99


def test_the_loss_is_the_surprise_of_the_gold_labels() -> None:
    made = tagger(1, "bilou")
    lengths = torch.tensor([4, 2])
    emissions = torch.randn(2, 4, 5, dtype=torch.float64)
    labels = torch.randint(5, (2, 4))
    found = made.loss(emissions, labels, lengths)
    for row, length in enumerate(lengths.tolist()):
        table = probabilities(made, emissions[row, :length])
        expected = -torch.tensor(table[tuple(labels[row, :length].tolist())], dtype=torch.float64).log()
        torch.testing.assert_close(found[row], expected)


def test_a_softmax_tagger_decides_each_token_alone() -> None:
    made = tagger(2, "bilou", tagger="softmax")
    emissions = torch.randn(2, 5, 9, dtype=torch.float64)
    lengths = torch.tensor([5, 5])
    none = torch.zeros(2, 5, dtype=torch.int64)
    assert made.decode(emissions, lengths, none).equal(emissions.argmax(2))
    gold = torch.randint(9, (2, 5))
    expected = torch.nn.functional.cross_entropy(emissions.transpose(1, 2), gold, reduction="none").sum(1)
    torch.testing.assert_close(made.loss(emissions, gold, lengths), expected)


def test_constrained_labels_are_legal_however_the_emissions_are() -> None:
    made = tagger(2, "bilou", constrained=True)
    pairs, first, last = Labels(("A", "B"), "bilou").allowed()
    emissions = 20 * torch.randn(40, 6, 9, dtype=torch.float64)
    paths = made.decode(emissions, torch.full((40,), 6), torch.zeros(40, 6, dtype=torch.int64)).numpy()
    assert pairs[paths[:, :-1], paths[:, 1:]].all()
    assert first[paths[:, 0]].all()
    assert last[paths[:, -1]].all()


#: O B L U O and, padded, B I L.
BOUNDARIES = torch.tensor([[0, 1, 3, 4, 0], [1, 2, 3, 0, 0]])
LENGTHS = torch.tensor([5, 3])
GIVEN = [[(1, 3), (3, 4)], [(0, 3)]]


@pytest.mark.parametrize("kind", ["crf", "softmax"])
def test_within_boundaries_each_span_has_the_type_likeliest_over_its_tokens(kind: str) -> None:
    made = tagger(2, "types", constrained=True, tagger=kind)
    found = set()
    for seed in range(12):
        torch.manual_seed(seed)
        made.output.bias.data.normal_(std=3.0)
        vectors = 3 * torch.randn(2, 5, WIDTH, dtype=torch.float64)
        emissions = made(vectors, LENGTHS, BOUNDARIES).detach()
        labels = made.decode(emissions, LENGTHS, BOUNDARIES)
        for row, spans in enumerate(GIVEN):
            table = probabilities(made, emissions[row, : LENGTHS[row]])
            expected = torch.zeros(5, dtype=torch.int64)
            for start, end in spans:
                totals = []
                for label in (1, 2):
                    marginals = [
                        sum(p for path, p in table.items() if path[position] == label)
                        for position in range(start, end)
                    ]
                    totals.append(torch.tensor(marginals).log().sum())
                expected[start:end] = 1 + int(torch.stack(totals).argmax())
            assert labels[row].equal(expected)
        found.add(tuple(labels[0, 2:4].tolist()))
    assert found & {(1, 2), (2, 1)}  # neighbours of one type would not tell spans apart


def test_within_boundaries_what_is_outside_is_o_and_what_is_inside_is_not() -> None:
    made = tagger(2, "types", constrained=True).float()
    emissions = made(torch.randn(2, 5, WIDTH), LENGTHS, BOUNDARIES)
    marginals = made.crf.marginals(emissions, LENGTHS)
    for row, length in enumerate(LENGTHS.tolist()):
        outside = BOUNDARIES[row, :length] == 0
        assert marginals[row, :length, 0].equal(outside.float())


def test_without_constraint_boundaries_do_not_touch_the_emissions() -> None:
    made = tagger(2, "types")
    vectors = torch.randn(2, 5, WIDTH, dtype=torch.float64)
    assert made(vectors, LENGTHS, BOUNDARIES).equal(made(vectors, LENGTHS, torch.zeros_like(BOUNDARIES)))


def test_the_emissions_are_a_tanh_layer_and_a_linear_one_over_the_states() -> None:
    made = tagger(1, "bilou")
    vectors = torch.randn(1, 4, WIDTH, dtype=torch.float64)
    length = torch.tensor([4])
    states = made.lstm(vectors, length)
    hidden = torch.tanh(states @ made.hidden.weight.T + made.hidden.bias)
    expected = hidden @ made.output.weight.T + made.output.bias
    found = made(vectors, length, torch.zeros(1, 4, dtype=torch.int64))
    torch.testing.assert_close(found, expected)
