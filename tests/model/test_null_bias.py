"""A bias against "no relation" makes a model see more relations, between the same entities."""

from __future__ import annotations

from copy import deepcopy

import pytest

pytest.importorskip("torch", reason="models are PyTorch's")

import torch

from biaffinity.annotation import Sentence
from biaffinity.model.joint import JointModel
from biaffinity.model.null_bias import TRIED, fit_null_bias, with_null_bias
from biaffinity.model.prediction import predict
from biaffinity.scoring import score
from model.tiny import stir, tiny_model


def biased(model: JointModel, amount: float) -> JointModel:
    other = deepcopy(model)
    other.load_state_dict(with_null_bias(model.state_dict(), amount))
    return other


def relations(model: JointModel, sentences: list[Sentence]) -> int:
    return sum(len(sentence.relations) for sentence in predict(model, sentences))


def test_more_of_it_finds_more_relations_and_the_same_entities(news: list[Sentence]) -> None:
    model = tiny_model(news, context=True).eval()
    stir(model)
    counts = [relations(biased(model, amount), news) for amount in (-50.0, 0.0, 50.0)]
    assert counts[0] == 0 < counts[2]
    assert counts == sorted(counts)
    spans = [
        [[(e.start, e.end, e.type) for e in s.entities] for s in predict(biased(model, amount), news)]
        for amount in (0.0, 50.0)
    ]
    assert spans[0] == spans[1]


def test_the_fitted_amount_is_the_best_of_those_tried_and_the_model_stays_as_it_was(
    news: list[Sentence],
) -> None:
    model = tiny_model(news, context=True).eval()
    stir(model)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    amount = fit_null_bias(model, news)
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())

    def strict(amount: float) -> float:
        return score(news, predict(biased(model, amount), news))["re", "strict", "macro"].f1

    best = max(map(strict, TRIED))
    assert strict(amount) == best
    assert all(abs(other) >= abs(amount) for other in TRIED if strict(other) == best)
