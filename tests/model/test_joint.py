"""The joint model: what it is fed, what it makes of odd sentences, and that it can learn."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from biaffinity import formats
from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.config.recipes import read_recipe
from biaffinity.decoding.decode import decode
from biaffinity.decoding.labels import Spans
from biaffinity.decoding.prediction import predict
from biaffinity.decoding.schema import Schema
from biaffinity.encoders.recurrent.encoder import RecurrentEncoder
from biaffinity.encoders.recurrent.vocabulary import Vocabulary
from biaffinity.model.joint import JointModel
from biaffinity.model.network import TorchNetwork
from model.tiny import bare, encode, fit, losses, stir, tiny_model

each_task = pytest.mark.parametrize("boundaries", ["predicted", "given"])

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


@each_task
def test_predicted_labels_feed_relations_as_if_they_were_gold(boundaries: str, news: list[Sentence]) -> None:
    model = tiny_model(news, boundaries=boundaries, constrained=True, candidates="all").eval()
    stir(model)
    found = list(predict(TorchNetwork(model), news))
    assert [bare(sentence).entities for sentence in found] != [sentence.entities for sentence in news]
    fed = [refed(gold, own) for gold, own in zip(news, found, strict=True)]
    assert any(sentence.relations for sentence in fed)
    torch.testing.assert_close(losses(model, news, predicted=True)[1], losses(model, fed)[1])
    assert not losses(model, news)[1].allclose(losses(model, fed)[1])


def test_predicted_labels_leave_the_tagger_s_loss_alone(news: list[Sentence]) -> None:
    model = tiny_model(news).eval()
    stir(model)
    assert losses(model, news)[0].equal(losses(model, news, predicted=True)[0])


def test_relations_between_overlapping_entities_do_not_disturb_it(news: list[Sentence]) -> None:
    model = tiny_model(news).eval()
    inside = Entity(5, 6, "Loc")
    overlapping = news[0].annotated(
        [*news[0].entities, inside], [*news[0].relations, Relation("OrgBased_In", 1, 4)]
    )
    for found, expected in zip(losses(model, [overlapping]), losses(model, [news[0]]), strict=True):
        torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("kind", ["types", "all"])
@each_task
def test_data_without_relations_trains_a_tagger(boundaries: str, kind: str, news: list[Sentence]) -> None:
    plain = [sentence.annotated(sentence.entities) for sentence in news]
    model = tiny_model(plain, boundaries=boundaries, candidates=kind).train()
    tagger_loss, relation_loss = losses(model, plain)
    (tagger_loss + relation_loss).backward()
    assert relation_loss.item() == 0
    assert model.tagger.output.weight.grad is not None
    assert all(not sentence.relations for sentence in predict(TorchNetwork(model), plain))


@pytest.mark.parametrize("context", [False, True])
@each_task
def test_odd_sentences_have_finite_losses_and_can_be_decoded(
    boundaries: str, context: bool, news: list[Sentence]
) -> None:
    model = tiny_model(news, boundaries=boundaries, context=context)
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
        assert all(torch.isfinite(loss) for loss in losses(model, sentences, predicted=True))
    found = list(predict(TorchNetwork(model), odd))
    assert [len(sentence) for sentence in found] == [1, 1, 3, 2, 500]


def test_a_sentence_without_candidates_has_no_relation_loss(news: list[Sentence]) -> None:
    model = tiny_model(news)
    for entities in ([], [Entity(0, 2, "Peop")], [Entity(0, 2, "Other"), Entity(7, 8, "Loc")]):
        assert losses(model, [news[0].annotated(entities)])[1].item() == 0


def test_decoding_without_scores_finds_the_same(trained: JointModel, news: list[Sentence]) -> None:
    batch, _ = encode(trained, news)
    with_scores, without = (decode(TorchNetwork(trained), batch, scores=wish) for wish in (True, False))
    for part in ("sentence", "start", "end", "type"):
        np.testing.assert_array_equal(getattr(with_scores.spans, part), getattr(without.spans, part))
    np.testing.assert_array_equal(with_scores.relations, without.relations)
    assert len(with_scores.relations)
    assert (without.span_scores == 1).all()
    assert (with_scores.span_scores < 1).any()


def labellings(model: JointModel, emissions: torch.Tensor) -> dict[tuple[int, ...], float]:
    """The probability of every labelling of a sentence [size, labels] by what the tagger is trained with."""
    size, labels = emissions.shape
    paths = list(product(range(labels), repeat=size))
    lengths = torch.full((len(paths),), size)
    with torch.no_grad():
        losses = model.tagger.loss(emissions.expand(len(paths), -1, -1), torch.tensor(paths), lengths)
    return dict(zip(paths, (-losses).exp().tolist(), strict=True))


ONE_TYPE = [Sentence(["Oslo", "or", "Port", "Vane"], [Entity(0, 1, "Loc"), Entity(2, 4, "Loc")])]


@pytest.mark.parametrize(
    "switches",
    [{}, {"tagger": "softmax"}, {"constrained": True}, {"constrained": True, "tagger": "softmax"}],
    ids=str,
)
def test_decoding_has_the_probabilities_that_training_has(switches: dict[str, Any]) -> None:
    model = tiny_model(ONE_TYPE, **switches).eval()
    stir(model, scale=1.0)
    network, (batch, _) = TorchNetwork(model), encode(model, ONE_TYPE)
    emissions = network.emissions(batch)
    table = labellings(model, torch.from_numpy(emissions[0]))
    labels = network.crf.viterbi(emissions, batch.lengths)
    assert tuple(labels[0].tolist()) == max(table, key=table.__getitem__)
    where = [(start, end) for start in range(4) for end in range(start + 1, 5)]
    start, end = np.array(where).T
    none = np.zeros(len(where), dtype=np.int64)
    found = network.crf.span_scores(emissions, batch.lengths, labels, Spans(none, start, end, none))
    for (first, last), score in zip(where, found.tolist(), strict=True):
        held = tuple(labels[0, first:last].tolist())
        expected = sum(p for path, p in table.items() if path[first:last] == held)
        assert score == pytest.approx(expected, abs=1e-5)


TWO_TYPES = [Sentence(["Oslo", "or", "Ida", "Moor"], [Entity(0, 1, "Loc"), Entity(2, 4, "Peop")])]


@pytest.mark.parametrize("constrained", [True, False])
def test_under_constraint_only_labellings_within_given_boundaries_are_possible(constrained: bool) -> None:
    model = tiny_model(TWO_TYPES, boundaries="given", constrained=constrained).eval()
    stir(model, scale=1.0)
    emissions = TorchNetwork(model).emissions(encode(model, TWO_TYPES)[0])
    table = labellings(model, torch.from_numpy(emissions[0]))
    if constrained:
        table = {path: p for path, p in table.items() if [label > 0 for label in path] == [1, 0, 1, 1]}
    expected = np.log(sum(table.values())) - np.log(table[1, 0, 2, 2])
    assert losses(model, TWO_TYPES)[0].item() == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("architecture", ["joint", "pipeline"])
def test_a_pipeline_has_encoders_and_boundary_embeddings_of_its_own(
    architecture: str, news: list[Sentence]
) -> None:
    model = tiny_model(news, architecture=architecture, boundaries="given")
    assert (model.encoder is model.relation_encoder) == (architecture == "joint")
    assert (model.boundaries is model.relation_boundaries) == (architecture == "joint")


def test_the_encoders_of_a_pipeline_start_from_the_same_words_and_share_those_of_no_training(
    news: list[Sentence],
) -> None:
    model = tiny_model(news, architecture="pipeline")
    for moved in (model, model.double()):
        one, other = moved.encoder.words, moved.relation_encoder.words
        assert one.trained is not other.trained
        assert one.trained.equal(other.trained)
        assert one.unseen is other.unseen


@each_task
def test_given_boundaries_are_read_by_both_networks(boundaries: str, news: list[Sentence]) -> None:
    model = tiny_model(news, boundaries=boundaries, architecture="pipeline").eval()
    stir(model)
    tags = [Sentence(sentence.tokens, [Entity(0, 1, "Loc")]) for sentence in news]
    for one, other in zip(
        model.token_vectors(encode(model, news)[0]), model.token_vectors(encode(model, tags)[0]), strict=True
    ):
        assert one.equal(other) == (boundaries == "predicted")


def test_settings_of_decoding_can_change_in_a_network_that_stands(news: list[Sentence]) -> None:
    model = tiny_model(news)
    model.configure(model.config.updated("model", entity_confidence_weight=2.0))
    assert model.description.entity_confidence_weight == 2.0
    assert TorchNetwork(model).description is model.description


def test_the_same_seed_gives_the_same_start(news: list[Sentence]) -> None:
    one, same, other = tiny_model(news, seed=4), tiny_model(news, seed=4), tiny_model(news, seed=5)
    assert all(a.equal(b) for a, b in zip(one.parameters(), same.parameters(), strict=True))
    assert not one.encoder.words.trained.equal(other.encoder.words.trained)


def test_it_learns_its_training_sentences_by_heart(trained: JointModel, news: list[Sentence]) -> None:
    assert [bare(sentence) for sentence in predict(TorchNetwork(trained), news)] == [
        bare(sentence) for sentence in news
    ]


def test_within_given_boundaries_it_learns_its_training_sentences_by_heart(
    trained_within: JointModel, news: list[Sentence]
) -> None:
    assert [bare(s) for s in predict(TorchNetwork(trained_within), news)] == [
        bare(sentence) for sentence in news
    ]


def test_the_paper_s_tagger_learns_with_given_boundaries_and_no_constraint(news: list[Sentence]) -> None:
    model = tiny_model(news, boundaries="given")
    fit(model, news, 80)
    assert [bare(sentence) for sentence in predict(TorchNetwork(model), news)] == [
        bare(sentence) for sentence in news
    ]


def test_the_paper_s_setup_has_as_many_parameters_as_the_released_program(corpora: Path) -> None:
    """About 1.77 M by the protocol; the sum is written out here from the paper's sizes."""
    config = read_recipe("paper")
    train, dev = (list(formats.read(corpora / "conll04" / f"{part}.jsonl")) for part in ("train", "dev"))
    vocabulary = Vocabulary.build(train, "paper", dev, word_size=100)
    encoder = RecurrentEncoder(config.encoder, vocabulary, torch.zeros(0, 100), dropout=0.33)
    model = JointModel(config, Schema.build(train), encoder)

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
