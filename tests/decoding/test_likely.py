"""Entities by their own probability, beside the list of all labellings."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biaffinity.decoding.arrays import Bools, Floats, Ints
from biaffinity.decoding.crf import FORBIDDEN, CRFDecoder
from biaffinity.decoding.decode import decode
from biaffinity.decoding.labels import Labels, Spans
from biaffinity.decoding.likely import likely_spans
from decoding.labellings import labellings
from decoding.written import batch_of, entities, written

LABELS = Labels(("Loc", "Peop"), "bilou")
Found = dict[tuple[int, int, int, int], float]


def columns(spans: Spans) -> list[tuple[int, int, int, int]]:
    parts = (spans.sentence, spans.start, spans.end, spans.type)
    return list(zip(*(part.tolist() for part in parts), strict=True))


def found_by(
    crf: CRFDecoder, emissions: Floats, lengths: Ints, least: float, required: Bools | None = None
) -> Found:
    spans, scores = likely_spans(crf, emissions, lengths, least, required)
    assert scores.dtype == np.float32
    return dict(zip(columns(spans), scores.tolist(), strict=True))


def probabilities(crf: CRFDecoder, emissions: Floats, row: int) -> Counter[tuple[int, int, int, int]]:
    """Of every entity of a sentence, from all labellings."""
    sums: Counter[tuple[int, int, int, int]] = Counter()
    for labels, probability in labellings(crf, emissions).items():
        if probability > 1e-12:
            spans = LABELS.decode(np.array([labels]), np.array([len(labels)]))
            for _, start, end, type_ in columns(spans):
                sums[row, start, end, type_] += probability
    return sums


def apart(sums: Counter[tuple[int, int, int, int]], least: float) -> Found:
    """Those that are as likely; of some that overlap, the likelier."""
    kept: Found = {}
    for key, probability in sums.most_common():
        clear = all(key[2] <= start or end <= key[1] for _, start, end, _ in kept)
        if probability >= least and clear:
            kept[key] = probability
    return kept


@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**32),
    lengths=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    least=st.sampled_from([0.07, 0.21, 0.33, 0.46, 0.6]),
    scale=st.sampled_from([0.5, 2.0, 4.0]),
)
def test_they_are_all_that_are_as_likely_under_all_labellings(
    seed: int, lengths: list[int], least: float, scale: float
) -> None:
    random = np.random.default_rng(seed)
    shapes = ((9, 9), 9, 9)
    scores = (random.normal(0, 1, shape).astype(np.float32) for shape in shapes)
    crf = CRFDecoder(*scores, LABELS.allowed())
    emissions = random.normal(0, scale, (len(lengths), max(lengths), 9)).astype(np.float32)
    expected: Found = {}
    for row, length in enumerate(lengths):
        expected |= apart(probabilities(crf, emissions[row, :length], row), least)
    found = found_by(crf, emissions, np.array(lengths), least)
    assert found.keys() == expected.keys()
    for key, probability in expected.items():
        assert found[key] == pytest.approx(probability, rel=1e-4)
    assert list(found) == sorted(found)


def tagged(*rows: dict[int, float]) -> Floats:
    """One sentence whose tokens have these scores of labels, by number; all others have -20."""
    emissions = np.full((1, len(rows), 9), -20, dtype=np.float32)
    for step, row in enumerate(rows):
        for label, score in row.items():
            emissions[0, step, label] = score
    return emissions


PLAIN = CRFDecoder.without_transitions(9, LABELS.allowed())
OUTSIDE, BEGIN_LOC, LAST_LOC, UNIT_LOC, UNIT_PEOP = 0, 1, 3, 4, 8


def test_an_entity_that_is_unlikely_in_the_best_labelling_is_not_named() -> None:
    emissions = tagged({OUTSIDE: 0.0, UNIT_LOC: 0.1, UNIT_PEOP: 0.05})
    assert found_by(PLAIN, emissions, np.array([1]), 0.45) == {}
    assert found_by(PLAIN, emissions, np.array([1]), 0.3).keys() == {(0, 0, 1, 0)}


def test_an_entity_of_many_labellings_is_named_though_the_best_one_lacks_it() -> None:
    """The last token is a name in most labellings, but these differ in what comes before."""
    emissions = tagged({OUTSIDE: 1.0, UNIT_LOC: 0.5, UNIT_PEOP: 0.5}, {OUTSIDE: 0.0, UNIT_LOC: 0.0})
    crf = CRFDecoder.without_transitions(9, LABELS.allowed())
    crf.transitions[OUTSIDE, UNIT_LOC] -= 1
    crf.transitions[[[UNIT_LOC], [UNIT_PEOP]], UNIT_LOC] += 0.4
    best = LABELS.decode(crf.viterbi(emissions, np.array([2])), np.array([2]))
    assert columns(best) == []
    assert found_by(crf, emissions, np.array([2]), 0.45).keys() == {(0, 1, 2, 0)}


def test_of_two_that_overlap_the_likelier_stays() -> None:
    emissions = tagged({BEGIN_LOC: 0.2, UNIT_PEOP: 0.0}, {LAST_LOC: 0.0, OUTSIDE: 0.0})
    both = found_by(PLAIN, emissions, np.array([2]), 0.1)
    assert both.keys() == {(0, 0, 2, 0)}


def test_a_token_that_must_be_in_an_entity_is_in_the_likeliest() -> None:
    emissions = tagged({UNIT_LOC: 0.1, UNIT_PEOP: 0.0}, {OUTSIDE: 0.0, UNIT_LOC: -2.0})
    emissions[0, 0, OUTSIDE] = FORBIDDEN
    required = np.array([[True, False]])
    assert found_by(PLAIN, emissions, np.array([2]), 0.9) == {}
    found = found_by(PLAIN, emissions, np.array([2]), 0.9, required)
    assert found == {(0, 0, 1, 0): pytest.approx(1 / (1 + np.exp(-0.1)))}


def test_padding_is_no_entity_and_changes_nothing() -> None:
    emissions = tagged({UNIT_LOC: 9.0}, {UNIT_LOC: 9.0}, {UNIT_LOC: 9.0})
    assert found_by(PLAIN, emissions, np.array([1]), 0.4).keys() == {(0, 0, 1, 0)}


def test_a_long_list_of_names_takes_no_more_than_its_length() -> None:
    """Each begins and ends somewhere: a pair of every beginning and every end would be millions."""
    size = 8000
    emissions = np.full((1, size, 9), -20, dtype=np.float32)
    emissions[0, 0::2, BEGIN_LOC] = emissions[0, 1::2, LAST_LOC] = 5
    found = found_by(PLAIN, emissions, np.array([size]), 0.45)
    assert len(found) == size // 2
    assert min(found.values()) == pytest.approx(1)


def test_labels_spell_the_spans_and_give_them_back() -> None:
    lengths = np.array([5, 3])
    spans = Spans(
        np.array([0, 0, 0, 1]), np.array([0, 1, 4, 0]), np.array([1, 4, 5, 2]), np.array([1, 0, 1, 0])
    )
    labels = LABELS.spell(spans, lengths)
    assert labels.tolist() == [[8, 1, 2, 3, 8], [1, 3, 0, 0, 0]]
    assert columns(LABELS.decode(labels, lengths)) == columns(spans)


def test_nothing_spells_no_label() -> None:
    none = np.zeros(0, dtype=np.int64)
    assert LABELS.spell(Spans(none, none, none, none), np.array([2])).tolist() == [[0, 0]]


def test_a_network_s_threshold_decides_what_it_names() -> None:
    sure = np.exp(2) / (np.exp(2) + 8)
    for threshold, expected in ((sure - 0.01, [(0, 0, 1, "Loc"), (0, 2, 3, "Loc")]), (sure + 0.01, [])):
        network = written(sure=2.0, entity_threshold=threshold)
        assert entities(decode(network, batch_of(network, "U-Loc O U-Loc"))) == expected


def test_given_entities_are_found_whatever_the_threshold() -> None:
    network = written(sure=2.0, entity_threshold=0.9)
    allowed = np.ones((1, 3, 9), dtype=bool)
    allowed[0, 0] = np.isin(np.arange(9), [UNIT_LOC, UNIT_PEOP])
    found = decode(network, batch_of(network, "U-Loc O U-Loc"), allowed=allowed)
    assert entities(found) == [(0, 0, 1, "Loc")]


def test_pairs_are_scored_under_the_labels_of_what_is_named() -> None:
    network = written(sure=2.0, entity_threshold=0.4)
    decode(network, batch_of(network, "U-Peop U-Loc"))
    [(labels, pairs)] = network.asked
    assert labels.tolist() == [[UNIT_PEOP, UNIT_LOC]]
    assert pairs == [(0, 1)]
