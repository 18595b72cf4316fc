"""The joint model: what it is fed, what it makes of odd sentences, and that it can learn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from biaffinity import formats
from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.encoding.vocabulary import Vocabulary
from biaffinity.model.config import read_recipe
from biaffinity.model.joint import JointModel
from biaffinity.model.prediction import predict
from model.tiny import bare, encode, fit, losses, stir, tiny_model

LONG = Sentence(["Ana", "Ruiz", "of", "Bergen", "and", "."] * 83 + ["Oslo", "."], [Entity(0, 2, "Peop")])


def refed(gold: Sentence, found: Sentence) -> Sentence:
    """The entities found, with the gold relations of those that end where gold entities end."""
    ends = {entity.end: index for index, entity in enumerate(found.entities)}
    relations = []
    for r in gold.relations:
        head, tail = ends.get(gold.entities[r.head].end), ends.get(gold.entities[r.tail].end)
        if head is not None and tail is not None:
            relations.append(Relation(r.type, head, tail))
    return bare(found).annotated(bare(found).entities, relations)


@pytest.mark.parametrize("setup", [1, 2])
def test_predicted_labels_feed_relations_as_if_they_were_gold(setup: int, news: list[Sentence]) -> None:
    model = tiny_model(news, setup=setup, constrained=True, candidates="all").eval()
    stir(model)
    found = list(predict(model, news))
    assert [bare(sentence).entities for sentence in found] != [sentence.entities for sentence in news]
    mixed = [True, False, True, False, True]
    fed = [refed(g, f) if own else g for g, f, own in zip(news, found, mixed, strict=True)]
    torch.testing.assert_close(losses(model, news, mixed)[1], losses(model, fed)[1])
    everywhere = [refed(g, f) for g, f in zip(news, found, strict=True)]
    torch.testing.assert_close(losses(model, news, [True] * 5)[1], losses(model, everywhere)[1])


def test_predicted_labels_leave_the_tagger_s_loss_alone(news: list[Sentence]) -> None:
    model = tiny_model(news).eval()
    stir(model)
    assert losses(model, news)[0].equal(losses(model, news, [True] * 5)[0])


def test_relations_between_overlapping_entities_do_not_disturb_it(news: list[Sentence]) -> None:
    model = tiny_model(news).eval()
    inside = Entity(5, 6, "Loc")
    overlapping = news[0].annotated(
        [*news[0].entities, inside], [*news[0].relations, Relation("OrgBased_In", 1, 4)]
    )
    for found, expected in zip(losses(model, [overlapping]), losses(model, [news[0]]), strict=True):
        torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("kind", ["types", "all"])
@pytest.mark.parametrize("setup", [1, 2])
def test_data_without_relations_trains_a_tagger(setup: int, kind: str, news: list[Sentence]) -> None:
    plain = [sentence.annotated(sentence.entities) for sentence in news]
    model = tiny_model(plain, setup=setup, candidates=kind).train()
    tagger_loss, relation_loss = losses(model, plain)
    (tagger_loss + relation_loss).backward()
    assert relation_loss.item() == 0
    assert model.tagger.output.weight.grad is not None
    assert all(not sentence.relations for sentence in predict(model, plain))


@pytest.mark.parametrize("context", [False, True])
@pytest.mark.parametrize("setup", [1, 2])
def test_odd_sentences_have_finite_losses_and_can_be_decoded(
    setup: int, context: bool, news: list[Sentence]
) -> None:
    model = tiny_model(news, setup=setup, context=context)
    stir(model)
    odd = [
        Sentence(["Oslo"]),
        Sentence(["Oslo"], [Entity(0, 1, "Loc")]),
        Sentence(["nobody", "came", "."]),
        Sentence(["Ana", "Oslo"], [Entity(0, 1, "Peop"), Entity(1, 2, "Loc")], [Relation("Live_In", 0, 1)]),
        LONG,
    ]
    for sentences in ([sentence] for sentence in odd):
        assert all(torch.isfinite(loss) for loss in losses(model.train(), sentences))
        assert all(torch.isfinite(loss) for loss in losses(model, sentences, [True]))
    found = list(predict(model, odd))
    assert [len(sentence) for sentence in found] == [1, 1, 3, 2, 500]


def test_a_sentence_without_candidates_has_no_relation_loss(news: list[Sentence]) -> None:
    model = tiny_model(news)
    for entities in ([], [Entity(0, 2, "Peop")], [Entity(0, 2, "Other"), Entity(7, 8, "Loc")]):
        assert losses(model, [news[0].annotated(entities)])[1].item() == 0


def test_decoding_without_scores_finds_the_same(trained: JointModel, news: list[Sentence]) -> None:
    with_scores, without = (trained.decode(encode(trained, news), scores=wish) for wish in (True, False))
    for part in ("sentence", "start", "end", "type"):
        np.testing.assert_array_equal(getattr(with_scores.spans, part), getattr(without.spans, part))
    np.testing.assert_array_equal(with_scores.pairs.relation, without.pairs.relation)
    assert (without.span_scores == 1).all()


@pytest.mark.parametrize("architecture", ["joint", "pipeline"])
def test_words_start_from_the_vectors_they_are_given(architecture: str, news: list[Sentence]) -> None:
    model = tiny_model(news, architecture=architecture)
    vectors = np.arange(22, dtype=np.float32).reshape(2, 11)
    before = model.tokens.words.trained.detach().clone()
    model.start_words([5, 3], vectors)
    for encoder in (model.tokens, model.relation_tokens):
        table = encoder.words.trained.detach()
        assert table[[5, 3]].equal(torch.from_numpy(vectors))
    others = [row for row in range(len(before)) if row not in (3, 5)]
    assert model.tokens.words.trained[others].equal(before[others])


def test_the_same_seed_gives_the_same_start(news: list[Sentence]) -> None:
    one, same, other = tiny_model(news, seed=4), tiny_model(news, seed=4), tiny_model(news, seed=5)
    assert all(a.equal(b) for a, b in zip(one.parameters(), same.parameters(), strict=True))
    assert not one.tokens.words.trained.equal(other.tokens.words.trained)


def test_setup_1_learns_its_training_sentences_by_heart(trained: JointModel, news: list[Sentence]) -> None:
    assert [bare(sentence) for sentence in predict(trained, news)] == [bare(sentence) for sentence in news]


def test_setup_2_learns_its_training_sentences_by_heart(
    trained_within: JointModel, news: list[Sentence]
) -> None:
    assert [bare(s) for s in predict(trained_within, news)] == [bare(sentence) for sentence in news]


def test_the_paper_s_tagger_learns_in_setup_2_without_constraints(news: list[Sentence]) -> None:
    model = tiny_model(news, setup=2)
    fit(model, news, 80)
    assert [bare(sentence) for sentence in predict(model, news)] == [bare(sentence) for sentence in news]


def test_the_paper_s_setup_has_as_many_parameters_as_the_released_program(corpora: Path) -> None:
    """About 1.77 M by the protocol; the sum is written out here from the paper's sizes."""
    config = read_recipe("paper")
    train, dev = (list(formats.read(corpora / "conll04" / f"{part}.jsonl")) for part in ("train", "dev"))
    vocabulary = Vocabulary.build(train, "paper", dev)
    model = JointModel(config, vocabulary, 100, torch.zeros(0, 100))

    def lstm(inputs: int, hidden: int) -> int:
        return 4 * hidden * (inputs + hidden + 2)

    token, labels, classes = 100 + 2 * 25, 1 + 4 * 4, 1 + 5
    words = (2 + len(vocabulary.words)) * 100
    characters = (4 + len(vocabulary.characters)) * 25 + lstm(25, 25)
    tagger = 2 * (lstm(token, 100) + lstm(200, 100)) + 201 * 100 + 101 * labels + labels * (labels + 2)
    relations = labels * 100 + 2 * (lstm(token + 100, 100) + lstm(200, 100)) + 2 * 201 * 100
    biaffine = classes * (100 * 100 + 200 + 1)
    count = sum(parameter.numel() for parameter in model.parameters())
    assert count == words + characters + tagger + relations + biaffine
    assert abs(count - 1.77e6) < 0.02e6
