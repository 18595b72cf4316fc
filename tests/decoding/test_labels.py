"""Labels against a token-by-token reading of their names, and against every labelling of short sentences."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.annotation import Entity, Sentence
from biaffinity.decoding.labels import BOUNDARIES, Labels, Spans, encode_boundaries
from strategies import ENTITY_TYPES, sentences

BILOU = Labels(ENTITY_TYPES, "bilou")
TYPES = Labels(ENTITY_TYPES, "types")
Array = np.ndarray[Any, np.dtype[np.int64]]


def flat() -> st.SearchStrategy[Sentence]:
    return sentences(overlapping=False, relations=False)


def entities_of(spans: Spans, row: int) -> list[Entity]:
    return [
        Entity(start, end, ENTITY_TYPES[type_])
        for sentence, start, end, type_ in zip(
            *(part.tolist() for part in (spans.sentence, spans.start, spans.end, spans.type)), strict=True
        )
        if sentence == row
    ]


def flat_entities(length: int, types: tuple[str, ...], start: int = 0) -> Iterator[list[Entity]]:
    """Every set of entities without overlap among the tokens from ``start`` on."""
    if start == length:
        yield []
        return
    for rest in flat_entities(length, types, start + 1):
        yield rest
    for end in range(start + 1, length + 1):
        for rest in flat_entities(length, types, end):
            yield from ([Entity(start, end, name), *rest] for name in types)


def naive_spans(kinds: list[str], types: list[str | None]) -> list[Entity]:
    """Read from left to right: a token goes on with the span before it, or starts one of its own."""
    spans: list[list[Any]] = []
    for position, (kind, name) in enumerate(zip(kinds, types, strict=True)):
        if name is None or kind == "O":
            continue
        goes_on = (
            position > 0
            and types[position - 1] == name
            and kinds[position - 1] in ("B", "I")
            and kind in ("I", "L")
        )
        if goes_on:
            spans[-1][1] = position + 1
        else:
            spans.append([position, position + 1, name])
    return [Entity(*span) for span in spans]


@given(flat())
def test_bilou_labels_come_back_as_the_entities_they_were(sentence: Sentence) -> None:
    labels = BILOU.encode(len(sentence), sentence.entities)
    spans = BILOU.decode(labels[None], np.array([len(sentence)]))
    assert entities_of(spans, 0) == list(sentence.entities)


@given(flat())
def test_types_come_back_within_their_boundaries(sentence: Sentence) -> None:
    labels = TYPES.encode(len(sentence), sentence.entities)
    boundaries = encode_boundaries(len(sentence), sentence.entities)
    spans = TYPES.decode(labels[None], np.array([len(sentence)]), boundaries[None])
    assert entities_of(spans, 0) == list(sentence.entities)


@given(flat())
def test_labels_name_the_place_of_each_token_in_its_entity(sentence: Sentence) -> None:
    names = ["O"] * len(sentence)
    for e in sentence.entities:
        kinds = "U" if e.end - e.start == 1 else "B" + "I" * (e.end - e.start - 2) + "L"
        names[e.start : e.end] = [f"{kind}-{e.type}" for kind in kinds]
    assert [BILOU.names[label] for label in BILOU.encode(len(sentence), sentence.entities)] == names
    plain = [name.partition("-")[2] or "O" for name in names]
    assert [TYPES.names[label] for label in TYPES.encode(len(sentence), sentence.entities)] == plain
    tags = encode_boundaries(len(sentence), sentence.entities)
    assert ["OBILU"[tag] for tag in tags] == [name[0] for name in names]
    assert tags.max(initial=0) < BOUNDARIES


@given(flat(), flat(), st.data())
def test_padding_is_ignored(first: Sentence, second: Sentence, data: st.DataObject) -> None:
    size = max(len(first), len(second)) + 3
    for labels, given_boundaries in ((BILOU, False), (TYPES, True)):
        junk = st.integers(1, len(labels) - 1)
        rows, tags = [], []
        for sentence in (first, second):
            rest = size - len(sentence)
            padding = data.draw(st.lists(junk, min_size=rest, max_size=rest))
            rows.append([*labels.encode(len(sentence), sentence.entities), *padding])
            tags.append([*encode_boundaries(len(sentence), sentence.entities), *[2] * rest])
        boundaries = np.array(tags) if given_boundaries else None
        spans = labels.decode(np.array(rows), np.array([len(first), len(second)]), boundaries)
        assert entities_of(spans, 0) == list(first.entities)
        assert entities_of(spans, 1) == list(second.entities)
        assert len(spans) == len(first.entities) + len(second.entities)


@given(st.lists(st.integers(0, len(BILOU) - 1), min_size=1, max_size=8))
def test_bilou_labels_that_are_not_legal_are_read_from_left_to_right(labels: list[int]) -> None:
    names = [BILOU.names[label] for label in labels]
    expected = naive_spans([name[0] for name in names], [name.partition("-")[2] or None for name in names])
    spans = BILOU.decode(np.array([labels]), np.array([len(labels)]))
    assert entities_of(spans, 0) == expected


@given(
    st.lists(st.tuples(st.integers(0, len(TYPES) - 1), st.integers(0, 4)), min_size=1, max_size=8).map(
        lambda pairs: tuple(zip(*pairs, strict=True))
    )
)
def test_each_run_of_one_type_inside_a_given_span_is_a_span(
    rows: tuple[tuple[int, ...], tuple[int, ...]],
) -> None:
    labels, boundaries = rows
    types = [None if label == 0 else ENTITY_TYPES[label - 1] for label in labels]
    expected = naive_spans(["OBILU"[tag] for tag in boundaries], types)
    spans = TYPES.decode(np.array([labels]), np.array([len(labels)]), np.array([boundaries]))
    assert entities_of(spans, 0) == expected


def test_types_without_boundaries_cannot_be_decoded() -> None:
    with pytest.raises(ValueError, match="boundaries"):
        TYPES.decode(np.zeros((1, 2), dtype=np.int64), np.array([2]))


@pytest.mark.parametrize("scheme", ["bilou", "types"])
def test_what_is_allowed_is_what_some_flat_annotation_uses(scheme: Any) -> None:
    labels = Labels(("Loc", "Org"), scheme)
    count = len(labels)
    pairs, first, last = np.zeros((count, count), bool), np.zeros(count, bool), np.zeros(count, bool)
    for length in range(1, 5):
        for entities in flat_entities(length, labels.types):
            path = labels.encode(length, entities).tolist()
            first[path[0]] = last[path[-1]] = True
            for before, after in pairwise(path):
                pairs[before, after] = True
    for found, expected in zip(labels.allowed(), (pairs, first, last), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_legal_labellings_are_just_those_of_flat_annotations() -> None:
    labels = Labels(("Loc",), "bilou")
    pairs, first, last = labels.allowed()
    legal = {
        path
        for path in product(range(len(labels)), repeat=4)
        if first[path[0]] and last[path[-1]] and all(pairs[a, b] for a, b in pairwise(path))
    }
    written = {tuple(labels.encode(4, entities).tolist()) for entities in flat_entities(4, labels.types)}
    assert legal == written


@pytest.mark.parametrize("labels", [BILOU, TYPES])
def test_the_type_of_a_label_is_the_one_in_its_name(labels: Labels) -> None:
    assert len(labels.names) == len(labels)
    for number, found in enumerate(labels.type_of(np.arange(len(labels))).tolist()):
        name = labels.names[number].rpartition("-")[2]
        assert found == (-1 if name == "O" else ENTITY_TYPES.index(name))


@pytest.mark.parametrize("labels", [BILOU, TYPES])
def test_within_boundaries_a_token_has_a_type_and_outside_it_has_none(labels: Labels) -> None:
    within = labels.within(np.array([[0, 1, 2], [3, 4, 0]]))
    assert within.shape == (2, 3, len(labels))
    for row, column in product(range(2), range(3)):
        outside = (row, column) in ((0, 0), (1, 2))
        assert within[row, column].tolist() == [outside] + [not outside] * (len(labels) - 1)
