"""Counts per sentence and type add up."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from biaffinity.annotation import Entity, Sentence
from biaffinity.scoring import count
from biaffinity.scoring.tally import Ledger
from scoring.predictions import predicted_corpora

GOLD = [Sentence(["Vane"], [Entity(0, 1, "Loc")], id=name) for name in "abc"]


def test_a_ledger_keeps_items_by_type_and_column():
    ledger = Ledger()
    ledger.add(0, (["Peop", "Loc", "Loc"], ["Loc"], ["Loc"]))
    ledger.add(2, ([], ["Peop"], []))
    assert ledger.types == ["Loc", "Peop"]
    assert ledger.totals().tolist() == [[2, 1, 1], [1, 1, 0]]
    assert ledger.per_sentence(3, ["Loc", "New", "Peop"]).tolist() == [
        [[2, 1, 1], [0, 0, 0], [1, 0, 0]],
        [[0, 0, 0], [0, 0, 0], [0, 0, 0]],
        [[0, 0, 0], [0, 0, 0], [0, 1, 0]],
    ]


def test_an_empty_ledger_has_no_types():
    assert Ledger().totals().shape == (0, 3)
    assert Ledger().per_sentence(2, []).shape == (2, 0, 3)


@given(predicted_corpora())
def test_sentences_add_up_to_the_totals(pair):
    tally = count(*pair)
    for ledger in tally.ledgers.values():
        table = ledger.per_sentence(tally.sentences, ledger.types)
        assert np.array_equal(table.sum(axis=0), ledger.totals())


def test_excluded_ids_that_occur_are_remembered():
    tally = count(GOLD, GOLD, exclude=["b", "z"])
    assert (tally.sentences, tally.excluded) == (2, {"b"})
