"""A temperature changes how sure a model is, and nothing that it finds."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="models are PyTorch's")

import torch

from biaffinity.annotation import Sentence
from biaffinity.encoding.batches import Batch
from biaffinity.model import temperature
from biaffinity.model.joint import JointModel
from biaffinity.model.prediction import predict
from biaffinity.model.temperature import divided, fit_temperatures
from biaffinity.scoring.calibration import calibrate, judge
from model.tiny import SWITCHES, encode, stir, tiny_model


def heated(model: JointModel, **temperatures: float) -> JointModel:
    other = deepcopy(model)
    other.load_state_dict(divided(model.state_dict(), temperatures))
    return other


def without_scores(sentences: list[Sentence]) -> list[Sentence]:
    return [
        sentence.annotated(
            [replace(entity, score=None) for entity in sentence.entities],
            [replace(relation, score=None) for relation in sentence.relations],
        )
        for sentence in sentences
    ]


@pytest.mark.parametrize("switches", SWITCHES.values(), ids=SWITCHES)
def test_what_is_found_stays_the_same(switches: dict[str, object], news: list[Sentence]) -> None:
    model = tiny_model(news, **switches).eval()
    stir(model)
    warm = heated(model, entities=3.0, relations=2.0)
    assert without_scores(list(predict(warm, news))) == without_scores(list(predict(model, news)))


def test_scores_of_relations_are_those_of_divided_logits(news: list[Sentence]) -> None:
    model = tiny_model(news, context=True).eval()
    stir(model)
    batch: Batch = encode(model, news)
    cold, warm = (m.decode(batch, scores=True) for m in (model, heated(model, relations=4.0)))
    assert len(cold.pairs)
    np.testing.assert_array_equal(cold.span_scores, warm.span_scores)
    assert (warm.pair_scores < cold.pair_scores).all()


def test_fitted_temperatures_make_an_overconfident_model_humbler(
    trained: JointModel, news: list[Sentence], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(temperature, "TRIED", (0.5, 1.0, 2.0, 4.0, 8.0))
    # The model knows the sample by heart; half of what it finds is made wrong.
    gold = [sentence if i % 2 else sentence.annotated(()) for i, sentence in enumerate(news)]
    before = {name: tensor.clone() for name, tensor in trained.state_dict().items()}
    fitted = fit_temperatures(trained, gold)
    assert all(torch.equal(tensor, before[name]) for name, tensor in trained.state_dict().items())
    assert set(fitted) == {"entities", "relations"}
    for kind in fitted:
        assert fitted[kind] > 1
        cold, warm = (
            calibrate(getattr(judge(gold, predict(model, gold)), kind))
            for model in (trained, heated(trained, **fitted))
        )
        assert warm.log_loss < cold.log_loss
        assert warm.count == cold.count
