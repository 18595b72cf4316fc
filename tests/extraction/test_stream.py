"""Streams: order, ids, laziness, flat memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from itertools import islice, repeat
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from biaffinity import Document, Extractor, TextInput
from biaffinity.errors import UsageError
from biaffinity.extraction.extractor import READ_AHEAD
from biaffinity.extraction.thresholds import Thresholds
from extraction.test_extractor import assert_same
from extraction.test_given import given_entities
from extraction.texts import ANA, TOVE, texts
from model.tiny import bare


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


# What is asked of one text alone

PERSON = [(0, 8, "Peop"), (19, 29)]
LEAST = st.sampled_from([None, 0, 0.5, {"Loc": 1.0}, {"relations": 0.99}, 1.0])


def assert_same_but_for_noise(ours: Document, theirs: Document) -> None:
    """The same, those without a score included."""
    assert (ours.text, ours.id) == (theirs.text, theirs.id)
    for one, other in zip(ours.sentences, theirs.sentences, strict=True):
        assert bare(one) == bare(other)
        for a, b in zip([*one.entities, *one.relations], [*other.entities, *other.relations], strict=True):
            assert a.score == b.score or a.score == pytest.approx(b.score, abs=1e-5)


@st.composite
def stream_items(draw: st.DrawFn) -> tuple[Any, dict[str, Any]]:
    """An item of a stream, plain or not, and how a call would ask for the same."""
    text, entities = draw(given_entities())
    kind = draw(st.sampled_from(["text", "score", "entities", "both"]))
    if kind == "text":
        return text, {"text": text}
    options: dict[str, Any] = {}
    if kind != "score":
        options["entities"] = entities
    if kind != "entities":
        options["min_score"] = draw(LEAST)
    return TextInput(text, **options), {"text": text, **options}


@pytest.mark.parametrize("kind", ["extractor", "lawless"])
@given(st.lists(stream_items(), max_size=6), st.integers(1, 60))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
def test_texts_with_wishes_of_their_own_are_read_as_in_single_calls_in_order(
    request: pytest.FixtureRequest, kind: str, many: list[tuple[Any, dict[str, Any]]], batch_tokens: int
) -> None:
    model: Extractor = request.getfixturevalue(kind)
    streamed = list(model.stream([item for item, _ in many], batch_tokens=batch_tokens))
    for ours, (_, options) in zip(streamed, many, strict=True):
        assert_same_but_for_noise(ours, model(**options))


def test_one_batch_holds_entities_that_are_found_and_entities_that_are_given(extractor: Extractor) -> None:
    wanted = [ANA, TextInput(ANA, entities=PERSON), TOVE, TextInput(ANA, min_score={"Loc": 1.0})]
    streamed = list(extractor.stream(wanted))
    assert [len(document.entities) for document in streamed] == [4, 2, 2, 2]
    assert [e.score is None for e in streamed[1].entities] == [True, False]
    assert streamed[1].triples() == [("Ana Ruiz", "Work_For", "Norvik Oil")]


def test_a_text_s_own_min_score_comes_before_that_of_the_stream(extractor: Extractor) -> None:
    loose, strict = extractor.stream([TextInput(ANA, min_score=0), TextInput(ANA)], min_score=1.0)
    assert (len(loose.entities), len(strict.entities)) == (4, 0)


def test_a_text_s_own_min_score_leaves_its_given_entities_alone(extractor: Extractor) -> None:
    (document,) = extractor.stream([TextInput(ANA, entities=PERSON, min_score=1.0)])
    assert (len(document.entities), document.relations) == (2, ())


def test_thresholds_that_were_read_before_are_taken_as_they_are(extractor: Extractor) -> None:
    read = Thresholds.read({"Loc": 1.0}, extractor.entity_types, extractor.relation_types)
    (document,) = extractor.stream([TextInput(ANA, min_score=read)])
    assert {e.type for e in document.entities} == {"Peop", "Org"}


def test_an_id_of_its_own_is_the_document_s(extractor: Extractor) -> None:
    wanted = [TextInput(ANA, "a"), TextInput(TOVE, "b", entities=[(0, 9)]), TextInput("")]
    streamed = list(extractor.stream(wanted))
    assert [document.id for document in streamed] == ["a", "b", ""]
    assert [s.id for document in streamed[:2] for s in document.sentences] == ["a:0", "b:0"]


def test_a_pair_of_a_text_with_wishes_comes_back_with_its_id(extractor: Extractor) -> None:
    (one, tag), (other, _) = extractor.stream([(TextInput(ANA), 7), (TextInput(TOVE, "own"), "b")])
    assert (one.id, tag, other.id) == ("7", 7, "own")


def test_a_model_that_is_given_entities_reads_a_stream_of_texts_with_them(within: Extractor) -> None:
    (document,) = within.stream([TextInput(ANA, entities=PERSON)])
    assert [e.text for e in document.entities] == ["Ana Ruiz", "Norvik Oil"]


def test_a_model_that_is_given_entities_names_the_text_that_lacks_them(within: Extractor) -> None:
    with pytest.raises(UsageError, match=r"texts\[1\]: this model does not find entities"):
        list(within.stream([TextInput(ANA, entities=PERSON), TOVE]))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (TextInput(7), r"texts\[2\]: .*must be a string"),  # type: ignore[arg-type]
        (TextInput(ANA, entities=[(0, 8), (0, 1000)]), r"texts\[2\]: entities\[1\]: .*outside the text"),
        (TextInput(ANA, entities=[(0, 8), (4, 14)]), r"texts\[2\]: entities .* overlap"),
        (TextInput(ANA, entities=[(0, 8, "Fish")]), r"texts\[2\]: entities\[0\]: .*'Fish'"),
        (TextInput(ANA, min_score=2), r"texts\[2\]: min_score must be a number from 0 to 1"),
        (TextInput(ANA, min_score={"Pope": 0.5}), r"texts\[2\]: min_score names 'Pope'"),
    ],
)
def test_a_text_whose_wishes_make_no_sense_is_named(
    extractor: Extractor, wrong: TextInput, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        list(extractor.stream([ANA, TextInput(ANA), wrong]))


def test_what_stands_before_a_bad_text_has_been_read_by_then(extractor: Extractor) -> None:
    wanted = [TextInput(TOVE, str(n)) for n in range(READ_AHEAD)] + [TextInput(TOVE, min_score=7)]
    stream = extractor.stream(wanted, batch_tokens=7)
    assert [document.id for document in islice(stream, READ_AHEAD)] == [str(n) for n in range(READ_AHEAD)]
    with pytest.raises(UsageError, match=rf"texts\[{READ_AHEAD}\]"):
        next(stream)


def test_entities_are_given_for_each_text_of_a_stream(extractor: Extractor) -> None:
    given = [[(0, 8), (19, 29)], None]
    one, other = extractor.stream(iter([ANA, TOVE]), entities=iter(given))
    assert_same(one, extractor(ANA, entities=given[0]))
    assert_same(other, extractor(TOVE))
    [(document, context)] = extractor.stream([(ANA, 7)], entities=[[(0, 8)]])
    assert ([e.text for e in document.entities], document.id, context) == (["Ana Ruiz"], "7", 7)


@pytest.mark.parametrize(
    ("count", "told"), [(1, "more texts than the 1 entities"), (3, "more entities than the 2 texts")]
)
def test_entities_are_as_many_as_texts(extractor: Extractor, count: int, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        list(extractor.stream([ANA, TOVE], entities=[None] * count))


def test_an_id_of_numpy_is_a_whole_number(extractor: Extractor) -> None:
    [(document, _)] = extractor.stream([(ANA, np.int64(7))])
    assert document.id == "7"
