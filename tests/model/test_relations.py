"""The relation classifier against its formula written out for one pair."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from biaffinity.model.relations import PairScorer, RelationClassifier
from model.tiny import SIZES, stir, tiny_config

WIDTH, CLASSES = 5, 4
LABELS = 9
#: Where five entities stand: sentence, start, end.
PLACES = torch.tensor([(0, 0, 2), (0, 4, 5), (0, 5, 7), (1, 0, 1), (1, 3, 4)])
PAIRS = torch.tensor([(0, 1), (1, 0), (1, 2), (2, 0), (3, 4), (0, 2)])


def classifier(**switches: Any) -> RelationClassifier:
    made = RelationClassifier(tiny_config(dropout=0.0, **switches).model, LABELS, CLASSES, WIDTH)
    stir(made)
    return made.double()


def inputs() -> tuple[Tensor, Tensor, Tensor]:
    torch.manual_seed(1)
    return torch.randn(2, 7, WIDTH, dtype=torch.float64), torch.randint(9, (2, 7)), torch.tensor([7, 4])


def written_out(scorer: PairScorer, states: Tensor, head: int, tail: int) -> Tensor:
    def projected(entity: int, layer: torch.nn.Linear) -> Tensor:
        sentence, _, end = PLACES[entity].tolist()
        return torch.tanh(layer.weight @ states[sentence, end - 1] + layer.bias)

    one, other = projected(head, scorer.head), projected(tail, scorer.tail)
    result = scorer.bias.clone()
    for name, term in scorer.terms.items():
        if name == "bilinear":
            result = result + torch.stack([one @ term.weight[k] @ other for k in range(CLASSES)])
        elif name == "linear":
            result = result + term.weight @ torch.cat([one, other])
        else:
            first, second = sorted([PLACES[head].tolist(), PLACES[tail].tolist()])
            between = [
                torch.tanh(term.projection.weight @ states[first[0], position] + term.projection.bias)
                for position in range(first[2], second[1])
            ]
            pooled = torch.stack(between).amax(0) if between else torch.zeros(SIZES["projection"]).double()
            result = result + term.output.weight @ pooled
    return result / scorer.temperature


@pytest.mark.parametrize(
    ("switches", "terms"),
    [
        ({}, ["bilinear", "linear"]),
        ({"context": True}, ["bilinear", "context", "linear"]),
        ({"bilinear": False}, ["linear"]),
        ({"linear": False, "context": True}, ["bilinear", "context"]),
    ],
    ids=str,
)
@pytest.mark.parametrize("temperature", [1.0, 3.0])
def test_scores_are_those_of_the_formula(
    switches: dict[str, Any], terms: list[str], temperature: float
) -> None:
    made = classifier(**switches)
    made.scorer.temperature.fill_(temperature)
    assert sorted(made.scorer.terms) == terms
    states = made(*inputs())
    found = made.scorer(states, *PLACES.unbind(1), *PAIRS.unbind(1))
    for row, (head, tail) in enumerate(PAIRS.tolist()):
        torch.testing.assert_close(found[row], written_out(made.scorer, states, head, tail))


def test_states_are_a_bilstm_over_label_embeddings_and_tokens() -> None:
    made = classifier()
    vectors, labels, lengths = inputs()
    assert made.label_embedding is not None
    joined = torch.cat([made.label_embedding.weight[labels], vectors], dim=2)
    torch.testing.assert_close(made(vectors, labels, lengths), made.lstm(joined, lengths))


@pytest.mark.parametrize("used", [True, False])
def test_labels_matter_where_they_are_embedded(used: bool) -> None:
    made = classifier(label_embeddings=used)
    vectors, labels, lengths = inputs()
    same = made(vectors, labels, lengths).equal(made(vectors, (labels + 1) % 9, lengths))
    assert same is not used


def test_the_words_between_matter_only_with_context() -> None:
    place, pair = PLACES.unbind(1), (torch.tensor([0]), torch.tensor([1]))
    for used in (False, True):
        made = classifier(context=used)
        states = made(*inputs()).detach()
        changed = states.clone()
        changed[0, 2:4] += 1.0
        same = made.scorer(states, *place, *pair).equal(made.scorer(changed, *place, *pair))
        assert same is not used


def test_head_and_tail_are_told_apart() -> None:
    made = classifier()
    states = made(*inputs())
    one, other = torch.tensor([0]), torch.tensor([1])
    place = PLACES.unbind(1)
    assert not made.scorer(states, *place, one, other).allclose(made.scorer(states, *place, other, one))


@pytest.mark.parametrize("context", [False, True])
def test_no_pairs_have_no_scores(context: bool) -> None:
    made = classifier(context=context)
    none = torch.zeros(0, dtype=torch.int64)
    states = made(*inputs())
    assert made.scorer(states, *PLACES.unbind(1), none, none).shape == (0, CLASSES)
    assert made.scorer(states, none, none, none, none, none).shape == (0, CLASSES)


def test_it_starts_as_the_released_program_does() -> None:
    torch.manual_seed(0)
    made = RelationClassifier(tiny_config(lstm_hidden=8, projection=7).model, LABELS, CLASSES, WIDTH)
    scorer = made.scorer
    torch.testing.assert_close(scorer.head.weight @ scorer.head.weight.T, torch.eye(7))
    assert scorer.tail.weight.equal(scorer.head.weight)
    assert scorer.tail.weight is not scorer.head.weight
    assert not any(part.any() for part in (scorer.head.bias, scorer.tail.bias, scorer.bias))
    assert not scorer.terms["bilinear"].weight.any()
    linear = scorer.terms["linear"].weight
    torch.testing.assert_close(linear @ linear.T, torch.eye(CLASSES))


def test_it_starts_at_temperature_one_which_is_kept_but_not_trained() -> None:
    made = RelationClassifier(tiny_config().model, LABELS, CLASSES, WIDTH)
    assert made.scorer.temperature.item() == 1
    assert "scorer.temperature" in made.state_dict()
    assert "scorer.temperature" not in dict(made.named_parameters())


def test_context_starts_without_effect() -> None:
    vectors, labels, lengths = inputs()
    place, pair = PLACES.unbind(1), PAIRS.unbind(1)
    made = RelationClassifier(tiny_config(context=True, dropout=0.0).model, LABELS, CLASSES, WIDTH)
    with_context = made.scorer(made(vectors.float(), labels, lengths), *place, *pair)
    del made.scorer.terms["context"]
    assert with_context.equal(made.scorer(made(vectors.float(), labels, lengths), *place, *pair))
