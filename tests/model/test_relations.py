"""The relation classifier against its formula written out for one pair."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from biaffinity.encoding.labels import Labels
from biaffinity.model.relations import RelationClassifier
from model.tiny import SIZES, stir, tiny_config

WIDTH, CLASSES = 5, 4
LABELS = Labels(("A", "B"), "bilou")
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


def written_out(made: RelationClassifier, states: Tensor, head: int, tail: int) -> Tensor:
    def projected(entity: int, layer: torch.nn.Linear) -> Tensor:
        sentence, _, end = PLACES[entity].tolist()
        return torch.tanh(layer.weight @ states[sentence, end - 1] + layer.bias)

    one, other = projected(head, made.head), projected(tail, made.tail)
    scores = []
    for k in range(CLASSES):
        score = made.biaffine.bias[k]
        if made.biaffine.bilinear is not None:
            score = score + one @ made.biaffine.bilinear[k] @ other
        if made.biaffine.linear is not None:
            score = score + made.biaffine.linear[k] @ torch.cat([one, other])
        scores.append(score)
    result = torch.stack(scores)
    if made.context is not None and made.context_output is not None:
        first, second = sorted([PLACES[head].tolist(), PLACES[tail].tolist()])
        between = [
            torch.tanh(made.context.weight @ states[first[0], position] + made.context.bias)
            for position in range(first[2], second[1])
        ]
        pooled = torch.stack(between).amax(0) if between else torch.zeros(SIZES["projection"]).double()
        result = result + made.context_output.weight @ pooled
    return result


@pytest.mark.parametrize(
    "switches", [{}, {"context": True}, {"bilinear": False}, {"linear": False, "context": True}], ids=str
)
def test_scores_are_those_of_the_formula(switches: dict[str, Any]) -> None:
    made = classifier(**switches)
    states = made(*inputs())
    found = made.scores(states, *PLACES.unbind(1), *PAIRS.unbind(1))
    for row, (head, tail) in enumerate(PAIRS.tolist()):
        torch.testing.assert_close(found[row], written_out(made, states, head, tail))


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
        same = made.scores(states, *place, *pair).equal(made.scores(changed, *place, *pair))
        assert same is not used


def test_head_and_tail_are_told_apart() -> None:
    made = classifier()
    states = made(*inputs())
    one, other = torch.tensor([0]), torch.tensor([1])
    place = PLACES.unbind(1)
    assert not made.scores(states, *place, one, other).allclose(made.scores(states, *place, other, one))


@pytest.mark.parametrize("context", [False, True])
def test_no_pairs_have_no_scores(context: bool) -> None:
    made = classifier(context=context)
    none = torch.zeros(0, dtype=torch.int64)
    states = made(*inputs())
    assert made.scores(states, *PLACES.unbind(1), none, none).shape == (0, CLASSES)
    assert made.scores(states, none, none, none, none, none).shape == (0, CLASSES)


def test_it_starts_as_the_released_program_does() -> None:
    torch.manual_seed(0)
    made = RelationClassifier(tiny_config(lstm_hidden=8, projection=7).model, LABELS, CLASSES, WIDTH)
    torch.testing.assert_close(made.head.weight @ made.head.weight.T, torch.eye(7))
    assert made.tail.weight.equal(made.head.weight)
    assert made.tail.weight is not made.head.weight
    assert not made.head.bias.any()
    assert not made.tail.bias.any()


def test_context_starts_without_effect() -> None:
    vectors, labels, lengths = inputs()
    place, pair = PLACES.unbind(1), PAIRS.unbind(1)
    made = RelationClassifier(tiny_config(context=True, dropout=0.0).model, LABELS, CLASSES, WIDTH)
    with_context = made.scores(made(vectors.float(), labels, lengths), *place, *pair)
    made.context = None
    assert with_context.equal(made.scores(made(vectors.float(), labels, lengths), *place, *pair))
