"""Streams: order, ids, laziness, flat memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from itertools import islice, repeat
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from biaffinity import Extractor
from biaffinity.errors import UsageError
from biaffinity.extraction.extractor import READ_AHEAD
from extraction.test_extractor import assert_same
from extraction.texts import ANA, TOVE, texts


@given(st.lists(texts(), max_size=8), st.integers(1, 60))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
def test_documents_are_those_of_single_calls_in_order(
    extractor: Extractor, many: list[str], batch_tokens: int
) -> None:
    streamed = list(extractor.stream(many, batch_tokens=batch_tokens))
    for ours, theirs in zip(streamed, map(extractor, many), strict=True):
        assert_same(ours, theirs)


def test_a_pair_comes_back_with_its_id(extractor: Extractor) -> None:
    tag = object()
    streamed = list(extractor.stream([(ANA, "a"), (TOVE, 7), ("", tag), (ANA, None)]))
    assert [id_ for _, id_ in streamed] == ["a", 7, tag, None]
    assert [document.text for document, _ in streamed] == [ANA, TOVE, "", ANA]


def test_an_id_that_is_a_name_becomes_the_documents_own(extractor: Extractor) -> None:
    streamed = extractor.stream([(ANA, "a"), (TOVE, 7), (TOVE, None)])
    assert [document.id for document, _ in streamed] == ["a", "7", ""]


def test_sentences_are_named_after_the_document(extractor: Extractor) -> None:
    ((document, _),) = extractor.stream([(f"{ANA} {TOVE}", "a")])
    assert [(s.id, s.document) for s in document.sentences] == [("a:0", "a"), ("a:1", "a")]


def test_texts_are_taken_only_as_they_are_needed(extractor: Extractor) -> None:
    taken = []

    def source() -> Iterator[str]:
        for number in range(1000):
            taken.append(number)
            yield TOVE

    stream = extractor.stream(source(), batch_tokens=7)
    assert taken == []
    next(stream)
    assert len(taken) == READ_AHEAD  # a text of six tokens and its place fill a batch of seven


def test_a_stream_may_be_endless(extractor: Extractor) -> None:
    for endless in (TOVE, ""):
        stream = extractor.stream(repeat(endless), batch_tokens=50)
        assert [document.text for document in islice(stream, 20)] == [endless] * 20


def test_memory_does_not_grow_with_the_stream(extractor: Extractor) -> None:
    def peak(size: int) -> int:
        tracemalloc.start()
        for _ in extractor.stream(repeat(f"{ANA} {TOVE}", size), batch_tokens=64):
            pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(200)
    assert peak(1600) < 3 * peak(200)  # eight times as much, if documents were kept


def test_min_score_holds_for_streams(extractor: Extractor) -> None:
    (document,) = extractor.stream([ANA], min_score={"Loc": 1.0})
    assert {e.type for e in document.entities} == {"Peop", "Org"}


def test_one_text_is_no_stream(extractor: Extractor) -> None:
    with pytest.raises(UsageError, match="call the extractor itself"):
        extractor.stream(ANA)


@pytest.mark.parametrize("wrong", [0, -1, 2.5, True, "many"])
def test_batch_tokens_that_make_no_sense_are_refused(extractor: Extractor, wrong: Any) -> None:
    with pytest.raises(UsageError, match="batch_tokens"):
        extractor.stream([ANA], batch_tokens=wrong)


@pytest.mark.parametrize("wrong", [None, 7, b"Ana", (ANA,), (7, ANA), (ANA, 1, 2)])
def test_an_item_that_is_no_text_is_named(extractor: Extractor, wrong: Any) -> None:
    with pytest.raises(UsageError, match=r"texts\[1\]: must be a string or a pair"):
        list(extractor.stream([ANA, wrong]))
