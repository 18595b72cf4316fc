"""Prediction: order, streams, odd input, and results that do not depend on company."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice, repeat

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.decoding import prediction
from biaffinity.decoding.labels import encode_boundaries
from biaffinity.decoding.prediction import WINDOW, Predictor, given_boundaries, predict, sorted_batches
from decoding.written import written
from strategies import sentences

pytest.importorskip("torch", reason="PyTorch runs the networks")

from biaffinity.model.network import TorchNetwork
from model.tiny import assert_alike, bare, stir, tiny_model

ODD_TOKENS = st.text(min_size=1, max_size=12)
STRANGE = [
    "é",
    "👩‍👩‍👧",
    "\u202e\u05d0",
    "\x00",
    "\ud800",
    "\u0301",
    "ß" * 60,
    "𝔄",
    "\ufeff",
    "　",
    "-LRB-",
    "''",
]


def spans(sentence: Sentence) -> list[tuple[int, int]]:
    return [(e.start, e.end) for e in sentence.entities]


def test_sentences_come_back_in_order_with_all_but_their_annotation(
    network: TorchNetwork, news: list[Sentence]
) -> None:
    mixed = [replace(sentence, id=str(number)) for number, sentence in enumerate([*news, *news[::-1]])]
    found = list(predict(network, mixed))
    assert [sentence.annotated(()) for sentence in found] == [sentence.annotated(()) for sentence in mixed]
    assert [bare(s) for s in found] == [bare(sentence) for sentence in mixed]


def test_a_network_that_finds_boundaries_does_not_look_at_the_annotation_it_is_given(
    network: TorchNetwork, news: list[Sentence]
) -> None:
    blank = [sentence.annotated(()) for sentence in news]
    assert list(predict(network, blank)) == list(predict(network, news))


def test_empty_sentences_pass_through(network: TorchNetwork, news: list[Sentence]) -> None:
    empty = Sentence([], id="empty", text=" \n", token_spans=[])
    found = list(predict(network, [empty, news[0], empty]))
    assert found[0] == found[2] == empty
    assert bare(found[1]) == bare(news[0])
    assert list(predict(network, [empty])) == [empty]
    assert list(predict(network, [])) == []


@pytest.mark.parametrize("boundaries", ["predicted", "given"])
def test_results_do_not_depend_on_the_other_sentences(boundaries: str, news: list[Sentence]) -> None:
    model = tiny_model(news, boundaries=boundaries, candidates="all")
    stir(model)
    network = TorchNetwork(model)
    parts = [*news, Sentence(["Oslo"]), Sentence([t for s in news for t in s.tokens] * 2)]
    together = list(predict(network, parts))
    assert any(sentence.relations for sentence in together)
    for sentence, found in zip(parts, together, strict=True):
        assert_alike(found, next(predict(network, [sentence])))


@given(parts=st.lists(sentences(), min_size=1, max_size=4))
def test_scores_lie_between_zero_and_one_and_entities_do_not_overlap(
    network: TorchNetwork, parts: list[Sentence]
) -> None:
    for found in predict(network, parts):
        assert all(0 <= (x.score or 0) <= 1 for x in (*found.entities, *found.relations))
        assert all(a.end <= b.start for a, b in zip(found.entities, found.entities[1:], strict=False))


def test_an_entity_has_the_score_that_decoding_gives_it() -> None:
    (found,) = Predictor(written(sure=2.0)).annotate([Sentence(["U-Peop", "O"])])
    assert [entity.score for entity in found.entities] == [round(1 / (1 + 8 * np.exp(-2)), 6)]


def test_without_scores_there_are_none(network: TorchNetwork, news: list[Sentence]) -> None:
    found = list(predict(network, news, scores=False))
    assert found == [bare(sentence) for sentence in predict(network, news)]


def test_an_endless_stream_is_read_no_further_than_a_window(
    network: TorchNetwork, news: list[Sentence]
) -> None:
    read = 0

    def stream() -> Iterator[Sentence]:
        nonlocal read
        for sentence in repeat(Sentence(["Bergen"])):
            read += 1
            yield sentence

    results = predict(network, stream())
    assert read == 0
    next(results)
    assert read == WINDOW
    assert len(list(islice(results, WINDOW))) == WINDOW
    assert read == 2 * WINDOW


def test_nothing_is_dropped_in_prediction_of_a_model_in_training(news: list[Sentence]) -> None:
    model = tiny_model(news, dropout=0.9).train()
    stir(model)
    network = TorchNetwork(model)
    assert list(predict(network, news)) == list(predict(network, news))


def test_given_boundaries_are_kept(network_within: TorchNetwork, news: list[Sentence]) -> None:
    odd = [
        Sentence(["a", "b", "c"], [Entity(0, 3, "Loc")]),
        Sentence(["a", "b", "c"], [Entity(0, 1, "Loc"), Entity(1, 2, "Loc"), Entity(2, 3, "Org")]),
        Sentence(["a", "b"]),
    ]
    for given_sentence, found in zip([*news, *odd], predict(network_within, [*news, *odd]), strict=True):
        assert spans(found) == spans(given_sentence)


def test_the_types_of_given_boundaries_are_not_looked_at(
    network_within: TorchNetwork, news: list[Sentence]
) -> None:
    for name in ("Loc", "?"):
        masked = [s.annotated([replace(e, type=name) for e in s.entities]) for s in news]
        assert list(predict(network_within, masked)) == list(predict(network_within, news))


def test_of_given_boundaries_that_overlap_the_outermost_stay(network_within: TorchNetwork) -> None:
    nested = Sentence(["a", "b", "c"], [Entity(0, 1, "Loc"), Entity(0, 2, "Org"), Entity(2, 3, "Loc")])
    assert spans(next(predict(network_within, [nested]))) == [(0, 2), (2, 3)]


def test_given_boundaries_unconstrained_may_be_split_but_never_left(news: list[Sentence]) -> None:
    model = tiny_model(news, boundaries="given")
    for seed in range(5):
        stir(model, seed)
        for sentence, found in zip(news, predict(TorchNetwork(model), news), strict=True):
            for start, end in spans(found):
                assert any(a <= start and end <= b for a, b in spans(sentence))


def test_strange_characters_are_tokens_like_others(network: TorchNetwork) -> None:
    found = next(predict(network, [Sentence(STRANGE)]))
    assert list(found.tokens) == STRANGE


@given(st.lists(ODD_TOKENS, min_size=1, max_size=8))
def test_any_text_can_be_read(network: TorchNetwork, tokens: list[str]) -> None:
    assert list(next(predict(network, [Sentence(tokens)])).tokens) == tokens


def test_scores_have_no_more_decimals_than_they_are_good_for(
    network: TorchNetwork, news: list[Sentence]
) -> None:
    found = list(predict(network, news))
    scores = [item.score for sentence in found for item in (*sentence.entities, *sentence.relations)]
    assert len(scores) > 20
    assert all(score == round(score, 6) for score in scores if score is not None)
    assert None not in scores


def test_relations_point_at_the_entities_of_their_own_sentence() -> None:
    network = written({(1, 2): (0, 5, 0), (3, 4): (0, 0, 5)})  # numbers are those of a batch
    two = Sentence(["U-Loc", "U-Peop", "U-Loc"]), Sentence(["U-Peop", "U-Loc"])
    first, second = Predictor(network).annotate(two, scores=False)
    assert first.relations == (Relation("Kill", 1, 2),)
    assert second.relations == (Relation("Live_In", 0, 1),)


def test_labels_may_be_confined_sentence_by_sentence() -> None:
    network = written()
    sentences = [Sentence(["U-Loc"]), Sentence(["U-Loc", "O", "U-Peop"]), Sentence(["U-Loc", "U-Peop"])]
    none = np.arange(9) == 0
    masks = [np.array([none]), None, np.array([np.ones(9, dtype=bool), none])]
    found = Predictor(network).annotate(sentences, allowed=masks)
    assert [spans(sentence) for sentence in found] == [[], [(0, 1), (2, 3)], [(0, 1)]]


def test_without_a_mask_in_a_batch_nothing_is_confined() -> None:
    [found] = Predictor(written()).annotate([Sentence(["U-Loc", "O"])], allowed=[None])
    assert spans(found) == [(0, 1)]


@pytest.mark.parametrize("batch_tokens", [1, 4, 2048])
def test_the_size_of_batches_changes_nothing(batch_tokens: int) -> None:
    parts = [Sentence(["U-Loc"] * size + ["O", "B-Peop", "L-Peop"]) for size in (3, 0, 5, 1, 3)]
    for given_sentence, found in zip(
        parts, Predictor(written()).annotate(parts, batch_tokens=batch_tokens), strict=True
    ):
        size = len(given_sentence)
        assert spans(found) == [*((i, i + 1) for i in range(size - 3)), (size - 2, size)]


def test_a_featuriser_that_remembers_too_much_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prediction, "REMEMBERED", 10)
    predictor = Predictor(written())
    seen = []
    for number in range(20):
        predictor.annotate([Sentence([f"{number}{letter}" for letter in "abcde"])])
        seen.append(predictor._featuriser.remembered)
    assert max(seen) == 15
    assert seen.count(5) > 3


def test_threads_may_share_a_predictor_whose_featuriser_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prediction, "REMEMBERED", 2)
    predictor = Predictor(written())
    parts = [Sentence([f"{number}", "U-Loc", "O", *["U-Peop"] * (number % 4)]) for number in range(300)]
    switching = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda sentence: predictor.annotate([sentence])[0], parts))
    finally:
        sys.setswitchinterval(switching)
    for number, sentence in enumerate(found):
        assert spans(sentence) == [(1, 2), *((i, i + 1) for i in range(3, 3 + number % 4))]


def test_boundaries_are_given_by_entities_of_any_type() -> None:
    entities = [Entity(0, 2, "?"), Entity(3, 4, "Peop")]
    sentence = Sentence(["The", "Vasa", "met", "Bo"], entities)
    assert given_boundaries(sentence).tolist() == encode_boundaries(4, entities).tolist()


def test_boundaries_are_those_of_the_outermost_entities() -> None:
    sentence = Sentence(["a", "b", "c", "d"], [Entity(0, 1, "Loc"), Entity(0, 3, "Org"), Entity(3, 4, "Loc")])
    assert given_boundaries(sentence).tolist() == [1, 2, 3, 4]


lengths = st.lists(st.integers(0, 60), max_size=40)


@given(lengths, st.integers(1, 200))
def test_sorted_batches_hold_every_sentence_with_a_token_once(sizes: list[int], tokens: int) -> None:
    batches = list(sorted_batches(sizes, tokens))
    assert sorted(row for batch in batches for row in batch) == [
        row for row, size in enumerate(sizes) if size
    ]
    assert all(batches)


@given(lengths, st.integers(1, 200))
def test_sorted_batches_stay_within_their_budget_longest_sentence_first(
    sizes: list[int], tokens: int
) -> None:
    for batch in sorted_batches(sizes, tokens):
        assert len(batch) == 1 or len(batch) * sizes[batch[0]] <= tokens
        assert sizes[batch[0]] == max(sizes[row] for row in batch)


@given(lengths, st.integers(1, 200))
def test_sorted_batches_are_no_smaller_than_they_need_be(sizes: list[int], tokens: int) -> None:
    batches = list(sorted_batches(sizes, tokens))
    for batch in batches[:-1]:
        assert (len(batch) + 1) * sizes[batch[0]] > tokens
