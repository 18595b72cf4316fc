from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.decoding.prediction import predict
from biaffinity.encoders.recurrent.vectors import load_vectors
from biaffinity.errors import DataError
from biaffinity.model.network import TorchNetwork
from biaffinity.training.build import build_model, left_out
from training import tiny

TRAIN = [Sentence(["Ida", "met", "Ida", "in", "Solund"], [Entity(0, 1, "Peop"), Entity(4, 5, "Loc")], id="a")]
DEV = [Sentence(["Per", "met", "Ana"], [Entity(0, 1, "Peop")], id="b")]


@pytest.fixture
def vectors(tmp_path: Path):
    """Vectors for two training words and three others, of which ``per`` is in dev."""
    lines = ["the 9 9 9", "ida 1 2 3", "per 4 5 6", "of 8 8 8", "in 7 7 7"]
    (tmp_path / "small.txt").write_text("\n".join(lines) + "\n")
    return load_vectors(tmp_path / "small.txt")


def test_without_vectors_words_have_the_recipes_width_and_nothing_is_covered() -> None:
    model, coverage = build_model(tiny.config(), TRAIN, DEV, None)
    assert coverage is None
    assert model.encoder.words.trained.shape == (2 + 4, 8)
    assert len(model.encoder.vocabulary.unseen) == 0


def test_the_vocabulary_is_the_training_datas(vectors) -> None:
    model, _ = build_model(tiny.config(), TRAIN, DEV, vectors)
    assert sorted(model.encoder.vocabulary.words) == ["ida", "in", "met", "solund"]
    assert list(model.schema.entity_types) == ["Loc", "Peop"]


def test_dev_words_join_the_vocabulary_if_the_recipe_says_so(vectors) -> None:
    config = tiny.config(encoder={"vocabulary": "train+dev"})
    model, coverage = build_model(config, TRAIN, DEV, vectors)
    assert sorted(model.encoder.vocabulary.words) == ["ana", "ida", "in", "met", "per", "solund"]
    assert coverage is not None
    assert (coverage.words, coverage.known_words) == (6, 3)


def test_coverage_counts_words_and_tokens_with_a_vector(vectors) -> None:
    _, coverage = build_model(tiny.config(), TRAIN, DEV, vectors)
    assert coverage is not None
    assert (coverage.known_words, coverage.words) == (2, 4)
    assert (coverage.known_tokens, coverage.tokens) == (3, 5)


def test_training_words_start_from_their_vectors(vectors) -> None:
    model, _ = build_model(tiny.config(), TRAIN, DEV, vectors)
    table = model.encoder.words.trained.detach()
    assert table[model.encoder.vocabulary.word("ida")].tolist() == [1, 2, 3]
    assert table[model.encoder.vocabulary.word("in")].tolist() == [7, 7, 7]


def test_in_a_pipeline_both_networks_start_from_the_vectors(vectors) -> None:
    model, _ = build_model(tiny.config(model={"architecture": "pipeline"}), TRAIN, DEV, vectors)
    row = model.encoder.vocabulary.word("ida")
    assert model.relation_encoder is not model.encoder
    assert model.relation_encoder.words.trained[row].tolist() == [1, 2, 3]


def test_other_words_keep_their_vectors_unless_the_recipe_makes_them_unknown(vectors) -> None:
    kept, _ = build_model(tiny.config(), TRAIN, DEV, vectors)
    assert list(kept.encoder.vocabulary.unseen) == ["the", "per", "of"]
    assert kept.encoder.words.unseen.tolist() == [[9, 9, 9], [4, 5, 6], [8, 8, 8]]
    unknown, _ = build_model(tiny.config(encoder={"unseen_words": "unk"}), TRAIN, DEV, vectors)
    assert list(unknown.encoder.vocabulary.unseen) == []
    assert unknown.encoder.vocabulary.word("per") == unknown.encoder.vocabulary.word("zzz")


def test_only_the_most_frequent_other_words_are_kept(vectors) -> None:
    model, _ = build_model(tiny.config(encoder={"keep_unseen": 2}), TRAIN, DEV, vectors)
    assert list(model.encoder.vocabulary.unseen) == ["the", "per"]


def test_a_model_with_unseen_words_predicts(vectors) -> None:
    model, _ = build_model(tiny.config(), TRAIN, DEV, vectors)
    assert [sentence.tokens for sentence in predict(TorchNetwork(model), DEV)] == [DEV[0].tokens]


def test_half_precision_vectors_are_read_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "v.words.txt").write_text("ida\nper\n")
    np.save(tmp_path / "v.3d.npy", np.array([[0.5, 1, 2], [3, 4, 5]], dtype=np.float16))
    model, _ = build_model(tiny.config(), TRAIN, DEV, load_vectors(tmp_path / "v.words.txt"))
    assert model.encoder.words.trained[model.encoder.vocabulary.word("ida")].tolist() == [0.5, 1, 2]
    assert model.encoder.words.unseen.dtype == torch.float16


def test_training_data_without_entities_is_an_error() -> None:
    with pytest.raises(DataError, match="no entity"):
        build_model(tiny.config(), [Sentence(["a"], id="x")], DEV, None)


def test_flat_data_leaves_nothing_out() -> None:
    assert left_out(tiny.sentences(9)) == {}


def test_what_a_flat_tagger_and_one_class_per_pair_cannot_hold_is_counted() -> None:
    nested = Sentence(
        ["Bank", "of", "Solund", "hired", "Ida"],
        [Entity(0, 3, "Org"), Entity(2, 3, "Loc"), Entity(4, 5, "Peop")],
        [
            Relation("OrgBased_In", 0, 1),
            Relation("Work_For", 2, 0),
            Relation("Leads", 2, 0),
            Relation("Leads", 0, 2),
        ],
        id="n",
    )
    assert left_out([nested, Sentence([], id="e"), *tiny.sentences(3)]) == {
        "entities inside or across others": 1,
        "relations of those": 1,
        "second relations of one pair": 1,
        "sentences without tokens": 1,
    }
