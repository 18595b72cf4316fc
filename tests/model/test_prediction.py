"""Prediction: order, streams, odd input, and results that do not depend on company."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.annotation import Entity, Sentence
from biaffinity.model.joint import JointModel
from biaffinity.model.prediction import WINDOW, predict
from model.tiny import assert_alike, bare, stir, tiny_model
from strategies import sentences

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
    trained: JointModel, news: list[Sentence]
) -> None:
    mixed = [replace(sentence, id=str(number)) for number, sentence in enumerate([*news, *news[::-1]])]
    found = list(predict(trained, mixed))
    assert [sentence.annotated(()) for sentence in found] == [sentence.annotated(()) for sentence in mixed]
    assert [bare(s) for s in found] == [bare(sentence) for sentence in mixed]


def test_setup_1_does_not_look_at_the_annotation_it_is_given(
    trained: JointModel, news: list[Sentence]
) -> None:
    blank = [sentence.annotated(()) for sentence in news]
    assert list(predict(trained, blank)) == list(predict(trained, news))


def test_empty_sentences_pass_through(trained: JointModel, news: list[Sentence]) -> None:
    empty = Sentence([], id="empty", text=" \n", token_spans=[])
    found = list(predict(trained, [empty, news[0], empty]))
    assert found[0] == found[2] == empty
    assert bare(found[1]) == bare(news[0])
    assert list(predict(trained, [empty])) == [empty]
    assert list(predict(trained, [])) == []


@pytest.mark.parametrize("setup", [1, 2])
def test_results_do_not_depend_on_the_other_sentences(setup: int, news: list[Sentence]) -> None:
    model = tiny_model(news, setup=setup, candidates="all")
    stir(model)
    parts = [*news, Sentence(["Oslo"]), Sentence([t for s in news for t in s.tokens] * 2)]
    together = list(predict(model, parts))
    assert any(sentence.relations for sentence in together)
    for sentence, found in zip(parts, together, strict=True):
        assert_alike(found, next(predict(model, [sentence])))


@given(parts=st.lists(sentences(), min_size=1, max_size=4))
def test_scores_lie_between_zero_and_one_and_entities_do_not_overlap(
    trained: JointModel, parts: list[Sentence]
) -> None:
    for found in predict(trained, parts):
        assert all(0 <= (x.score or 0) <= 1 for x in (*found.entities, *found.relations))
        assert all(a.end <= b.start for a, b in zip(found.entities, found.entities[1:], strict=False))


def test_without_scores_there_are_none(trained: JointModel, news: list[Sentence]) -> None:
    found = list(predict(trained, news, scores=False))
    assert found == [bare(sentence) for sentence in predict(trained, news)]


def test_an_endless_stream_is_read_no_further_than_a_window(
    trained: JointModel, news: list[Sentence]
) -> None:
    read = 0

    def stream() -> Iterator[Sentence]:
        nonlocal read
        for sentence in repeat(Sentence(["Bergen"])):
            read += 1
            yield sentence

    results = predict(trained, stream())
    assert read == 0
    next(results)
    assert read == WINDOW
    assert len(list(islice(results, WINDOW))) == WINDOW
    assert read == 2 * WINDOW


def test_nothing_is_dropped_in_prediction_of_a_model_in_training(news: list[Sentence]) -> None:
    model = tiny_model(news, dropout=0.9).train()
    stir(model)
    assert list(predict(model, news)) == list(predict(model, news))


def test_given_boundaries_are_kept(trained_within: JointModel, news: list[Sentence]) -> None:
    odd = [
        Sentence(["a", "b", "c"], [Entity(0, 3, "Loc")]),
        Sentence(["a", "b", "c"], [Entity(0, 1, "Loc"), Entity(1, 2, "Loc"), Entity(2, 3, "Org")]),
        Sentence(["a", "b"]),
    ]
    for given_sentence, found in zip([*news, *odd], predict(trained_within, [*news, *odd]), strict=True):
        assert spans(found) == spans(given_sentence)


def test_the_types_of_given_boundaries_are_not_looked_at(
    trained_within: JointModel, news: list[Sentence]
) -> None:
    for name in ("Loc", "?"):
        masked = [s.annotated([replace(e, type=name) for e in s.entities]) for s in news]
        assert list(predict(trained_within, masked)) == list(predict(trained_within, news))


def test_of_given_boundaries_that_overlap_the_outermost_stay(trained_within: JointModel) -> None:
    nested = Sentence(["a", "b", "c"], [Entity(0, 1, "Loc"), Entity(0, 2, "Org"), Entity(2, 3, "Loc")])
    assert spans(next(predict(trained_within, [nested]))) == [(0, 2), (2, 3)]


def test_given_boundaries_unconstrained_may_be_split_but_never_left(news: list[Sentence]) -> None:
    model = tiny_model(news, setup=2)
    for seed in range(5):
        stir(model, seed)
        for sentence, found in zip(news, predict(model, news), strict=True):
            for start, end in spans(found):
                assert any(a <= start and end <= b for a, b in spans(sentence))


def test_strange_characters_are_tokens_like_others(trained: JointModel) -> None:
    found = next(predict(trained, [Sentence(STRANGE)]))
    assert list(found.tokens) == STRANGE


@given(st.lists(ODD_TOKENS, min_size=1, max_size=8))
def test_any_text_can_be_read(trained: JointModel, tokens: list[str]) -> None:
    assert list(next(predict(trained, [Sentence(tokens)])).tokens) == tokens


def test_scores_have_no_more_decimals_than_they_are_good_for(
    trained: JointModel, news: list[Sentence]
) -> None:
    found = list(predict(trained, news))
    scores = [item.score for sentence in found for item in (*sentence.entities, *sentence.relations)]
    assert len(scores) > 20
    assert all(score == round(score, 6) for score in scores if score is not None)
    assert None not in scores
