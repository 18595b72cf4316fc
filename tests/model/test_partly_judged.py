"""Partly annotated sentences: what nobody judged teaches nothing, and what is complete trains as ever."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from biaffinity.annotation import Entity, Judged, Relation, Sentence
from biaffinity.decoding.network import Description
from biaffinity.decoding.prediction import predict
from biaffinity.decoding.schema import Schema
from biaffinity.model.gold import Gold, gold_batch, gold_sentence
from biaffinity.model.network import TorchNetwork
from biaffinity.model.relations import one_relation_loss, several_relations_loss
from model.tiny import bare, fit, losses, stir, tiny_model

TYPES = ["Kill", "Live_In", "Work_For"]
KILL, LIVE_IN, WORK_FOR = 1, 2, 3
KNOWN = Description(Schema(["Loc", "Peop"], TYPES, [("Peop", "Loc"), ("Peop", "Peop")]))
SENTENCE = Sentence(
    ["Ada", "Lee", "of", "Quell", "met", "Bo"],
    [Entity(0, 2, "Peop"), Entity(3, 4, "Loc"), Entity(5, 6, "Peop")],
    [Relation("Live_In", 0, 1)],
)


def gold_of(*parts: Sentence) -> Gold:
    return gold_batch([gold_sentence(sentence, KNOWN) for sentence in parts], KNOWN)


def unknown(gold: Gold) -> dict[tuple[int, int], list[int]]:
    """The classes of each candidate that nobody judged."""
    assert gold.targets.unknown is not None
    return {
        (head, tail): np.flatnonzero(row).tolist()
        for head, tail, row in zip(
            gold.pairs.head.tolist(), gold.pairs.tail.tolist(), gold.targets.unknown, strict=True
        )
    }


def test_of_a_pair_nothing_is_known_that_was_not_looked_for_but_what_is_marked() -> None:
    gold = gold_of(replace(SENTENCE, judged=Judged(relations=["Kill"])))
    others = [LIVE_IN, WORK_FOR]
    assert unknown(gold) == {(0, 1): [WORK_FOR], (0, 2): others, (2, 0): others, (2, 1): others}


def test_an_undecided_relation_is_open_for_its_pair_alone() -> None:
    judged = Judged(undecided=[("Kill", 0, 2), ("Work_For", 0, 2), ("Sails", 0, 2)])
    assert unknown(gold_of(replace(SENTENCE, judged=judged))) == {
        (0, 1): [],
        (0, 2): [KILL, WORK_FOR],
        (2, 0): [],
        (2, 1): [],
    }


def test_a_batch_knows_of_each_sentence_what_was_judged_there() -> None:
    partly = replace(SENTENCE, judged=Judged(tokens=[(2, 3)], relations=[]))
    short = Sentence(["Bo", "left"], [Entity(0, 1, "Peop")])
    gold = gold_of(partly, short)
    assert gold.open_tokens is not None
    assert gold.open_tokens.tolist() == [[False] * 4 + [True, False], [False] * 2 + [True] * 4]
    assert gold.possible_labels(9).sum(axis=2).tolist() == [[1, 1, 1, 1, 9, 1], [1, 1, 9, 9, 9, 9]]


def test_complete_sentences_have_nothing_open() -> None:
    everything = Judged(tokens=[(0, 6)], relations=[*TYPES, "Sails"])
    for judged in (None, Judged(), everything):
        gold = gold_of(replace(SENTENCE, judged=judged))
        assert gold.open_tokens is None
        assert gold.targets.unknown is None


def test_what_is_known_of_pairs_goes_by_the_last_tokens_of_any_entities() -> None:
    gold = gold_of(replace(SENTENCE, judged=Judged(relations=TYPES, undecided=[("Kill", 0, 2)])))
    found = gold_of(SENTENCE.annotated([Entity(1, 2, "Peop"), Entity(4, 6, "Peop")]))
    targets = gold.targets_of(found.spans, found.pairs)
    assert targets.unknown is not None
    assert targets.unknown.tolist() == [[False, True, False, False], [False] * 4]


def test_the_loss_of_a_pair_is_that_of_all_it_may_be() -> None:
    logits = torch.randn(2, 4, dtype=torch.float64, requires_grad=True)
    open_classes = torch.tensor([[False, False, True, False], [False, False, True, True]])
    loss = one_relation_loss(logits, torch.tensor([0, 1]), open_classes)
    chances = logits.detach().softmax(1)
    expected = -(chances[0, 0] + chances[0, 2]).log() - chances[1, 1].log()
    torch.testing.assert_close(loss, expected)
    loss.backward()
    # Both gain in proportion: which of them it is, is not learnt.
    gains = logits.grad[0] / chances[0]
    torch.testing.assert_close(gains[0], gains[2])
    assert gains[0] < 0 < gains[1]


def test_with_several_relations_a_pair_every_judged_one_is_a_question_of_its_own() -> None:
    logits = torch.randn(1, 4, dtype=torch.float64, requires_grad=True)
    held = torch.tensor([[False, True, False, True]])
    ahead = (logits.detach()[0, 1:] - logits.detach()[0, 0]).sigmoid()
    each = -torch.stack([ahead[0], 1 - ahead[1], ahead[2]]).log()
    torch.testing.assert_close(several_relations_loss(logits, held), each.sum())
    loss = several_relations_loss(logits, held, torch.tensor([[False, False, True, False]]))
    torch.testing.assert_close(loss, each[0] + each[2])
    loss.backward()
    assert logits.grad[0, 2] == 0


def with_judgement(sentences: list[Sentence], judged: Judged) -> list[Sentence]:
    return [replace(sentence, judged=judged) for sentence in sentences]


@pytest.mark.parametrize("predicted", [False, True])
@pytest.mark.parametrize("boundaries", ["predicted", "given"])
@pytest.mark.parametrize("several", ["one", "several"])
def test_all_judged_trains_bit_for_bit_as_a_complete_annotation(
    several: str, boundaries: str, predicted: bool, news: list[Sentence]
) -> None:
    model = tiny_model(news, boundaries=boundaries, constrained=True, relations_per_pair=several).eval()
    stir(model)
    said = [
        replace(s, judged=Judged(tokens=[(0, len(s))], relations=model.schema.relation_types)) for s in news
    ]
    for one, other in zip(
        losses(model, news, predicted=predicted), losses(model, said, predicted=predicted), strict=True
    ):
        assert one.equal(other)


@pytest.mark.parametrize("predicted", [False, True])
@pytest.mark.parametrize("several", ["one", "several"])
def test_nothing_judged_teaches_nothing(several: str, predicted: bool, news: list[Sentence]) -> None:
    model = tiny_model(news, constrained=True, relations_per_pair=several).eval()
    stir(model)
    empty = [replace(s.annotated(()), judged=Judged(tokens=[], relations=[])) for s in news]
    tagger_loss, relation_loss = losses(model, empty, predicted=predicted)
    assert abs(tagger_loss.item()) < 1e-4
    assert abs(relation_loss.item()) < 1e-4
    (tagger_loss + relation_loss).backward()
    assert max(p.grad.abs().max().item() for p in model.parameters() if p.grad is not None) < 1e-4


@pytest.mark.parametrize("switches", [{}, {"constrained": True}], ids=str)
def test_what_is_judged_of_entities_is_learnt_and_the_rest_is_free(
    switches: dict[str, Any], news: list[Sentence]
) -> None:
    """The first entity of each sentence is known, in a sentence whose other tokens are not."""
    partly = [
        replace(s.annotated(s.entities[:1]), judged=Judged(tokens=[], relations=[]))
        for s in news
        if s.entities
    ]
    model = tiny_model(news, **switches)
    fit(model, partly, 60)
    found = [bare(sentence) for sentence in predict(TorchNetwork(model), partly)]
    assert all(s.entities[0] in f.entities for s, f in zip(partly, found, strict=True))


def test_where_nobody_judged_relations_are_learnt_between_the_tagger_s_own_entities(
    news: list[Sentence],
) -> None:
    model = tiny_model(news, constrained=True, candidates="all").eval()
    stir(model)
    bare_news = [sentence.annotated(()) for sentence in news]
    found = [bare(sentence) for sentence in predict(TorchNetwork(model), bare_news)]
    assert any(sentence.entities for sentence in found)
    unjudged = with_judgement(bare_news, Judged(tokens=[]))
    expected = losses(model, [s.annotated(s.entities) for s in found])[1]
    torch.testing.assert_close(losses(model, unjudged)[1], expected)
