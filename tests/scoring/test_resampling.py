"""Bootstrap intervals: resamples score as their sentences would, and the interval says what it should."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from biaffinity.annotation import Entity, Sentence
from biaffinity.errors import UsageError
from biaffinity.scoring import count, resampling, score, with_intervals
from biaffinity.scoring.sheet import cells
from scoring.predictions import predicted_corpora

GOLD = [Sentence(["Vane"], [Entity(0, 1, "Loc")], id=str(i)) for i in range(400)]
HALF_RIGHT = [s if i % 2 else s.annotated([Entity(0, 1, "Org")]) for i, s in enumerate(GOLD)]


@settings(max_examples=25)
@given(predicted_corpora())
def test_a_resample_scores_as_its_sentences_written_out(pair):
    tally = count(*pair)
    types = {path: ledger.types for path, ledger in tally.ledgers.items()}
    counts = resampling.per_sentence(tally, types)
    (weights,) = resampling.drawn(tally.sentences, 3, np.random.default_rng(7))
    table = cells(resampling.redrawn(counts, weights), types, ["Other"])
    for index, row in enumerate(weights.astype(int)):
        written_out = [[s for s, times in zip(side, row, strict=True) for _ in range(times)] for side in pair]
        for path, cell in score(*written_out).scores.items():
            assert table[path].f1[index] == pytest.approx(cell.f1)


def test_every_resample_draws_as_many_sentences_as_there_are():
    blocks = list(resampling.drawn(9, 50, np.random.default_rng(0)))
    assert (np.concatenate(blocks).sum(axis=1) == 9).all()


def test_blocks_add_up_to_the_samples(monkeypatch):
    monkeypatch.setattr(resampling, "_BLOCK", 25)
    assert [len(block) for block in resampling.drawn(10, 7, np.random.default_rng(0))] == [2, 2, 2, 1]


def test_the_interval_is_that_of_the_binomial_where_it_is_known():
    # One entity a sentence, half of them right: micro F1 is the mean of 400 tosses of a coin.
    sheet = with_intervals(count(GOLD, HALF_RIGHT), samples=2000)
    low, high = sheet.intervals["ner", "micro"]
    deviation = (0.5 * 0.5 / 400) ** 0.5
    assert (low, high) == pytest.approx((0.5 - 1.96 * deviation, 0.5 + 1.96 * deviation), abs=0.006)


def test_every_f1_has_an_interval_that_stands_in_the_record():
    sheet = with_intervals(count(GOLD[:9], HALF_RIGHT[:9]), samples=20)
    assert set(sheet.intervals) == set(sheet.scores)
    record = sheet.to_dict()
    assert record["ner"]["per_type"]["Org"]["f1_interval"] == [0.0, 0.0]
    assert len(record["paper"]["rc_released"]["f1_interval"]) == 2


def test_the_scores_are_those_without_a_bootstrap():
    assert with_intervals(count(GOLD, HALF_RIGHT), samples=5).scores == score(GOLD, HALF_RIGHT).scores


def test_the_same_seed_gives_the_same_intervals_and_another_seed_others():
    tally = count(GOLD, HALF_RIGHT)
    first, again, third = (with_intervals(tally, samples=50, seed=s).intervals for s in (1, 1, 2))
    assert first == again
    assert first != third


def test_a_perfect_prediction_has_no_doubt():
    assert with_intervals(count(GOLD, GOLD), samples=50).intervals["ner", "macro"] == (1.0, 1.0)


def test_no_sentences_have_an_empty_interval_at_zero():
    assert with_intervals(count([], []), samples=5).intervals["ner", "micro"] == (0.0, 0.0)


def test_no_samples_are_too_few():
    with pytest.raises(UsageError, match="0 resamples are too few"):
        with_intervals(count(GOLD, GOLD), samples=0)


def test_one_resample_is_the_least():
    assert list(resampling.block_sizes(9, 1)) == [1]
    with pytest.raises(UsageError) as caught:
        list(resampling.block_sizes(9, 0))
    assert str(caught.value) == "0 resamples are too few (use 1000 or more)"
