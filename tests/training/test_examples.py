"""The training sentences as arrays: any choice of them is a batch as if it were read alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from biaffinity.annotation import Entity, Sentence
from biaffinity.decoding.prediction import given_boundaries
from biaffinity.model.gold import gold_batch, gold_sentence
from biaffinity.model.joint import JointModel
from biaffinity.training.build import build_model
from biaffinity.training.examples import Examples, Upcoming
from training import tiny

SENTENCES = tiny.sentences(6)
ROWS = [4, 0, 5]


def model(**options: Any) -> JointModel:
    return build_model(tiny.config(model=options), SENTENCES, (), None)[0]


def test_features_are_the_encoder_s_own_of_the_chosen_sentences() -> None:
    made = model()
    batch, _ = Examples(made, SENTENCES).batch(ROWS)
    featuriser = made.encoder.new_featuriser()
    alone = featuriser.collate([featuriser.featurise(SENTENCES[row].tokens) for row in ROWS])
    np.testing.assert_array_equal(batch.features["words"], alone["words"])
    spelt = batch.features["characters"][batch.features["form_index"]]
    expected = alone["characters"][alone["form_index"]]
    inside = np.arange(spelt.shape[1]) < batch.lengths[:, None]
    np.testing.assert_array_equal(spelt[inside], expected[inside])
    assert batch.lengths.tolist() == [len(SENTENCES[row]) for row in ROWS]


def test_gold_is_the_annotation_of_the_chosen_sentences() -> None:
    made = model()
    _, gold = Examples(made, SENTENCES).batch(iter(ROWS))
    expected = gold_batch([gold_sentence(SENTENCES[row], made.description) for row in ROWS], made.description)
    np.testing.assert_array_equal(gold.labels, expected.labels)
    np.testing.assert_array_equal(gold.targets.classes, expected.targets.classes)
    assert [own.relations for own in gold.sentences] == [own.relations for own in expected.sentences]
    assert gold.targets.classes.any()


@pytest.mark.parametrize("boundaries", ["predicted", "given"])
def test_boundaries_are_there_where_the_model_is_given_them(boundaries: str) -> None:
    batch, _ = Examples(model(boundaries=boundaries), SENTENCES).batch(ROWS)
    if boundaries == "predicted":
        assert batch.boundaries is None
        return
    assert batch.boundaries is not None
    for found, row in zip(batch.boundaries, ROWS, strict=True):
        size = len(SENTENCES[row])
        np.testing.assert_array_equal(found[:size], given_boundaries(SENTENCES[row]))
        assert not found[size:].any()


def test_types_that_the_model_does_not_know_are_no_gold() -> None:
    made = model()
    strange = Sentence(["Ship", "Ahoy"], [Entity(0, 1, "Ship")])
    _, gold = Examples(made, [strange]).batch([0])
    assert not gold.labels.any()
    assert len(gold.spans) == 0


def test_upcoming_batches_come_in_their_order_whether_prepared_or_not() -> None:
    examples = Examples(model(), SENTENCES)
    order = [[4, 0], [5], [1, 2, 3]]
    upcoming = Upcoming(examples, order)
    for number, rows in enumerate(order):
        if number != 1:
            upcoming.prepare()
            upcoming.prepare()
        batch, gold = upcoming.take()
        alone, expected = examples.batch(rows)
        assert np.array_equal(batch.features["words"], alone.features["words"])
        assert np.array_equal(gold.labels, expected.labels)
    upcoming.prepare()
    with pytest.raises(IndexError):
        upcoming.take()
