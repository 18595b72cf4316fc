"""What decoding knows of a network, and which sentences a scorer of pairs must read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.annotation import Sentence
from biaffinity.decoding.candidates import Pairs, candidates
from biaffinity.decoding.labels import Spans
from biaffinity.decoding.network import Description, involved
from decoding.written import SCHEMA


@pytest.mark.parametrize(("boundaries", "scheme"), [("predicted", "bilou"), ("given", "types")])
def test_labels_are_plain_types_where_boundaries_are_given(boundaries: Any, scheme: str) -> None:
    labels = Description(SCHEMA, boundaries=boundaries).labels
    assert (labels.types, labels.scheme) == (("Loc", "Peop"), scheme)


@pytest.mark.parametrize("all_pairs", [False, True])
def test_related_types_are_those_of_the_schema_or_all(all_pairs: bool) -> None:
    expected = [[all_pairs, all_pairs], [True, all_pairs]]
    assert Description(SCHEMA, all_pairs=all_pairs).related.tolist() == expected


@pytest.mark.parametrize("boundaries", ["predicted", "given"])
@pytest.mark.parametrize("constrained", [False, True])
def test_labels_are_bound_to_boundaries_that_are_given_to_a_constrained_tagger(
    boundaries: Any, constrained: bool
) -> None:
    known = Description(SCHEMA, boundaries=boundaries, constrained=constrained)
    assert known.within_boundaries is (constrained and boundaries == "given")


@st.composite
def batches(draw: st.DrawFn) -> tuple[np.ndarray, Spans, Pairs]:
    """Lengths, entities of one token each, and at least one pair of them."""
    lengths = draw(st.lists(st.integers(1, 9), min_size=1, max_size=5))
    rows = [draw(st.sets(st.integers(0, length - 1), max_size=4)) for length in lengths]
    places = [(row, start, start + 1) for row, starts in enumerate(rows) for start in sorted(starts)]
    sentence, start, end = np.array(places, dtype=np.int64).reshape(-1, 3).T
    spans = Spans(sentence, start, end, np.array([draw(st.integers(0, 1)) for _ in places], dtype=np.int64))
    return np.array(lengths), spans, candidates(spans, np.array([[False, True], [False, False]]))


@given(batches().filter(lambda batch: len(batch[2]) > 0))
def test_only_sentences_with_a_pair_are_involved_cut_to_the_longest(batch: Any) -> None:
    lengths, spans, pairs = batch
    rows, size, _ = involved(lengths, spans, pairs)
    assert rows.tolist() == sorted({spans.sentence[head] for head in pairs.head})
    assert size == max(lengths[rows])


@given(batches().filter(lambda batch: len(batch[2]) > 0))
def test_the_spans_of_pairs_stand_where_they_stood(batch: Any) -> None:
    lengths, spans, pairs = batch
    rows, _, placed = involved(lengths, spans, pairs)
    for number in {*pairs.head.tolist(), *pairs.tail.tolist()}:
        assert rows[placed.sentence[number]] == spans.sentence[number]
        assert (placed.start[number], placed.end[number]) == (spans.start[number], spans.end[number])


@given(batches().filter(lambda batch: len(batch[2]) > 0))
def test_every_span_stands_within_what_is_read(batch: Any) -> None:
    lengths, spans, pairs = batch
    rows, size, placed = involved(lengths, spans, pairs)
    assert len(placed) == len(spans)
    assert ((placed.sentence >= 0) & (placed.sentence < len(rows))).all()
    assert ((placed.start >= 0) & (placed.start <= size)).all()
    assert ((placed.end >= 1) & (placed.end <= size)).all()
    np.testing.assert_array_equal(placed.type, spans.type)


@pytest.mark.parametrize("boundaries", ["predicted", "given"])
def test_reading_only_the_sentences_with_a_pair_changes_no_score(
    boundaries: str, news: list[Sentence], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch", reason="PyTorch scores the pairs")
    from biaffinity.model import network as module
    from model.tiny import encode, stir, tiny_model

    model = tiny_model(news, boundaries=boundaries, candidates="all", context=True)
    stir(model)
    network = module.TorchNetwork(model)
    batch, gold = encode(model, news)
    longest, *others = np.argsort(-batch.lengths, kind="stable").tolist()
    few = sorted(others[-3:])
    # Entities in three short sentences, two of which have a pair, and one at the end of the longest.
    places = [(few[0], 0, 1), (few[0], 2, 4), (few[1], 1, 2), (few[2], 0, 2), (few[2], 3, 4)]
    places = sorted([*places, (longest, batch.lengths[longest] - 1, batch.lengths[longest])])
    sentence, start, end = np.array(places).T
    spans = Spans(sentence, start, end, np.zeros_like(start))
    pairs = candidates(spans, np.ones((1, 1), dtype=bool))
    network.emissions(batch)
    ours = network.pair_logits(batch, gold.labels, spans, pairs)
    everything = (np.arange(len(batch.lengths)), int(batch.lengths.max()), spans)
    assert len(involved(batch.lengths, spans, pairs)[0]) == 2
    monkeypatch.setattr(module, "involved", lambda *_: everything)
    theirs = network.pair_logits(batch, gold.labels, spans, pairs)
    assert ours.shape == (4, model.schema.classes)
    np.testing.assert_allclose(ours, theirs, atol=1e-5)
