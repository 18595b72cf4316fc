"""Every switch of the paper, with boundaries predicted and given: it builds, it learns, it decodes."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from biaffinity.annotation import Entity, Sentence
from biaffinity.decoding.decision import Decoded
from biaffinity.decoding.decode import decode
from biaffinity.decoding.prediction import predict
from biaffinity.model.joint import JointModel
from biaffinity.model.network import TorchNetwork
from model.tiny import SWITCHES, bare, encode, losses, stir, tiny_model

each_switch = pytest.mark.parametrize("switches", SWITCHES.values(), ids=SWITCHES)
each_task = pytest.mark.parametrize("boundaries", ["predicted", "given"])


def decoded_by(model: JointModel, sentences: list[Sentence]) -> Decoded:
    return decode(TorchNetwork(model), encode(model, sentences)[0])


@each_task
@each_switch
def test_every_parameter_gets_a_finite_gradient_and_learns(
    boundaries: str, switches: dict[str, Any], news: list[Sentence]
) -> None:
    # One more sentence, since all others end outside any entity and the end would teach nothing.
    news = [*news, Sentence(["Oslo", "Bergen"], [Entity(0, 1, "Loc"), Entity(1, 2, "Loc")])]
    model = tiny_model(news, boundaries=boundaries, **switches).train()
    start = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
    # Some parts start at zero and hide others, so these move from the second or third update on.
    for _ in range(3):
        optimiser.zero_grad()
        total = sum(losses(model, news))
        assert torch.isfinite(total)
        total.backward()
        for name, parameter in model.named_parameters():
            assert parameter.grad is not None, name
            assert torch.isfinite(parameter.grad).all(), name
        optimiser.step()
    still = [name for name, parameter in model.named_parameters() if parameter.equal(start[name])]
    assert not still


@each_task
@pytest.mark.parametrize("switch", [name for name in SWITCHES if name != "full"])
def test_every_switch_makes_another_network(switch: str, boundaries: str, news: list[Sentence]) -> None:
    """Other parameters, or other losses and results from the same ones."""
    made = []
    for switches in ({}, SWITCHES[switch]):
        model = tiny_model(news, boundaries=boundaries, **switches).eval()
        stir(model, scale=1.0)
        shapes = {name: parameter.shape for name, parameter in model.named_parameters()}
        found = [bare(sentence) for sentence in predict(TorchNetwork(model), news)]
        made.append((shapes, [loss.item() for loss in losses(model, news)], found))
    assert made[0] != made[1]


@each_task
@each_switch
def test_it_decodes_what_the_container_accepts(
    boundaries: str, switches: dict[str, Any], news: list[Sentence]
) -> None:
    model = tiny_model(news, boundaries=boundaries, **switches)
    stir(model)
    found = list(predict(TorchNetwork(model), news))
    assert [sentence.tokens for sentence in found] == [sentence.tokens for sentence in news]
    assert any(sentence.entities for sentence in found)
    assert all(e.score is not None for sentence in found for e in (*sentence.entities, *sentence.relations))


@each_task
@each_switch
def test_a_padded_batch_has_the_losses_of_its_sentences(
    boundaries: str, switches: dict[str, Any], news: list[Sentence]
) -> None:
    model = tiny_model(news, boundaries=boundaries, **switches).eval()
    stir(model)
    together = losses(model, news)
    alone = [losses(model, [sentence]) for sentence in news]
    for found, parts in zip(together, zip(*alone, strict=True), strict=True):
        torch.testing.assert_close(found, torch.stack(parts).sum(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("switch", "less"),
    [
        ("no characters", ["characters"]),
        ("softmax", ["crf"]),
        ("no label embeddings", ["label_embedding"]),
        ("linear only", ["scorer.terms.bilinear"]),
        ("bilinear only", ["scorer.terms.linear"]),
    ],
)
def test_what_is_switched_off_has_no_parameters(switch: str, less: list[str], news: list[Sentence]) -> None:
    full = dict(tiny_model(news).named_parameters())
    reduced = dict(tiny_model(news, **SWITCHES[switch]).named_parameters())
    gone = full.keys() - reduced.keys()
    assert gone == {name for name in full if any(part in name for part in less)}
    assert gone


def test_pipeline_networks_have_no_parameter_in_common(news: list[Sentence]) -> None:
    model = tiny_model(news, architecture="pipeline")
    tagging = {id(p) for part in (model.encoder, model.tagger) for p in part.parameters()}
    relating = {id(p) for part in (model.relation_encoder, model.relations) for p in part.parameters()}
    assert tagging.isdisjoint(relating)
    assert len(tagging) + len(relating) == len(list(model.parameters()))


def test_each_pipeline_network_learns_from_its_own_loss_alone(news: list[Sentence]) -> None:
    model = tiny_model(news, architecture="pipeline").train()
    stir(model)
    networks = ((model.encoder, model.tagger), (model.relation_encoder, model.relations))
    for number, loss in enumerate(losses(model, news)):
        model.zero_grad()
        loss.backward()
        own, other = networks[number], networks[1 - number]
        assert all(p.grad is not None for part in own for p in part.parameters())
        assert all(p.grad is None or not p.grad.any() for part in other for p in part.parameters())


def test_the_joint_network_learns_its_tokens_from_both_losses(news: list[Sentence]) -> None:
    model = tiny_model(news).train()
    stir(model)
    assert model.relation_encoder is model.encoder
    for loss in losses(model, news):
        model.zero_grad()
        loss.backward(retain_graph=True)
        assert model.encoder.words.trained.grad is not None
        assert model.encoder.words.trained.grad.any()


@pytest.mark.parametrize("kind", ["types", "all"])
def test_candidates_are_classified_by_the_types_they_may_have(kind: str, news: list[Sentence]) -> None:
    """A classifier that always says Kill says it of every candidate, and of nothing else."""
    model = tiny_model(news, candidates=kind).eval()
    stir(model)
    with torch.no_grad():
        model.relations.scorer.bias[:] = torch.tensor([0.0, 1e4, 0.0, 0.0, 0.0, 0.0])
    decoded = decoded_by(model, news)
    spans, pairs = decoded.spans, decoded.pairs
    types = [model.schema.entity_types[number] for number in spans.type]
    expected = [
        (h, t)
        for h in range(len(spans))
        for t in range(len(spans))
        if h != t
        and spans.sentence[h] == spans.sentence[t]
        and (kind == "all" or (types[h], types[t]) in model.schema.pairs)
    ]
    assert list(zip(pairs.head.tolist(), pairs.tail.tolist(), strict=True)) == expected
    assert expected
    assert (decoded.relations == 1).all()


def test_no_relation_is_never_a_result(news: list[Sentence]) -> None:
    model = tiny_model(news, candidates="all").eval()
    stir(model)
    some = decoded_by(model, news)
    assert len(some.pairs) > 0
    assert (some.relations > 0).all()
    with torch.no_grad():
        model.relations.scorer.bias[0] = 1e4
    assert len(decoded_by(model, news).pairs) == 0
