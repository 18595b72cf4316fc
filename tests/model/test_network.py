"""A torch model as decoding has it: whole arrays, nothing dropped out, no more read than is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from biaffinity.annotation import Entity, Sentence
from biaffinity.decoding.candidates import Pairs, candidates
from biaffinity.decoding.network import Batch
from biaffinity.decoding.prediction import predict
from biaffinity.model import network as module
from biaffinity.model.gold import Gold
from biaffinity.model.joint import JointModel
from biaffinity.model.network import TorchNetwork
from model.tiny import encode, stir, tiny_model

each_network = pytest.mark.parametrize(
    "switches",
    [{}, {"architecture": "pipeline"}, {"boundaries": "given", "context": True}],
    ids=["joint", "pipeline", "given"],
)


def made(news: list[Sentence], **switches: Any) -> tuple[TorchNetwork, Batch, Gold]:
    """A network with the sentences as one batch."""
    model = tiny_model(news, candidates="all", **switches)
    stir(model)
    return TorchNetwork(model), *encode(model, news)


def logits_of(network: TorchNetwork, batch: Batch, gold: Gold) -> Any:
    network.emissions(batch)
    return network.pair_logits(batch, gold.labels, gold.spans, gold.pairs)


@each_network
def test_emissions_are_the_tagger_s(switches: dict[str, Any], news: list[Sentence]) -> None:
    network, batch, _ = made(news, **switches)
    model = network.model.eval()
    with torch.no_grad():
        expected = model.tagger(model.token_vectors(batch)[0], torch.from_numpy(batch.lengths))
    found = network.emissions(batch)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, expected.numpy())


@each_network
def test_pair_logits_are_the_classifier_s(switches: dict[str, Any], news: list[Sentence]) -> None:
    network, batch, gold = made(news, **switches)
    model = network.model.eval()
    with torch.no_grad():
        vectors = model.token_vectors(batch)[1]
        states = model.relations(vectors, torch.from_numpy(gold.labels), torch.from_numpy(batch.lengths))
        expected = model.pair_logits(states, gold.spans, gold.pairs)
    found = logits_of(network, batch, gold)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected.numpy(), atol=1e-6)


def test_nothing_is_dropped_out_of_a_model_in_training(news: list[Sentence]) -> None:
    network, batch, gold = made(news, dropout=0.5)
    network.model.train()
    emissions = network.emissions(batch)
    network.model.train()
    np.testing.assert_array_equal(network.emissions(batch), emissions)
    np.testing.assert_array_equal(logits_of(network, batch, gold), logits_of(network, batch, gold))


@each_network
def test_only_sentences_with_a_pair_are_read_and_score_the_same(
    switches: dict[str, Any], news: list[Sentence], monkeypatch: pytest.MonkeyPatch
) -> None:
    lone = Sentence(["Oslo"] * 40, [Entity(0, 1, "Loc")])  # the longest, and without a pair
    network, batch, gold = made([news[0], lone, *news[1:]], **switches)
    read: list[tuple[int, ...]] = []
    relations = network.model.relations
    forward = relations.forward

    def watching(vectors: torch.Tensor, *others: torch.Tensor) -> torch.Tensor:
        read.append(tuple(vectors.shape[:2]))
        return forward(vectors, *others)

    monkeypatch.setattr(relations, "forward", watching)
    found = logits_of(network, batch, gold)
    paired = [sentence for sentence in news if len(sentence.entities) > 1]
    assert 0 < len(paired) < len(news)
    assert read == [(len(paired), max(map(len, paired)))]
    other_batch, other_gold = encode(network.model, news)
    np.testing.assert_allclose(found, logits_of(network, other_batch, other_gold), atol=1e-5)


@pytest.mark.parametrize("block", [1, 3])
def test_pairs_scored_in_blocks_score_the_same(
    block: int, news: list[Sentence], monkeypatch: pytest.MonkeyPatch
) -> None:
    network, batch, gold = made(news, context=True)
    whole = logits_of(network, batch, gold)
    assert len(gold.pairs) > 3
    monkeypatch.setattr(module, "BLOCK", block)
    np.testing.assert_allclose(logits_of(network, batch, gold), whole, atol=1e-6)


def test_a_choice_of_pairs_has_its_own_scores(news: list[Sentence]) -> None:
    network, batch, gold = made(news)
    whole = logits_of(network, batch, gold)
    every = candidates(gold.spans, network.description.related)
    chosen = np.arange(len(every)) % 2 == 0
    some = network.pair_logits(batch, gold.labels, gold.spans, every[chosen])
    assert isinstance(every, Pairs)
    np.testing.assert_allclose(some, whole[chosen], atol=1e-5)


def test_neighbouring_labels_score_as_in_the_model_now(news: list[Sentence]) -> None:
    network, _, _ = made(news)
    before = network.crf.transitions.copy()
    with torch.no_grad():
        network.model.tagger.crf.transitions.add_(1.0)
    np.testing.assert_allclose(network.crf.transitions, before + 1)


def test_a_featuriser_has_met_no_token(trained: JointModel) -> None:
    network = TorchNetwork(trained)
    first = network.new_featuriser()
    first.featurise(["Ana", "Ruiz"])
    assert (first.remembered, network.new_featuriser().remembered) == (2, 0)


def test_a_prediction_leaves_no_gradient(news: list[Sentence]) -> None:
    network, _, _ = made(news)
    list(predict(network, news))
    assert all(parameter.grad is None for parameter in network.model.parameters())
