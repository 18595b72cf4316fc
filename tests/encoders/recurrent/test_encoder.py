"""Token vectors: which table a word comes from, what is hidden when, and what they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from biaffinity.annotation import Sentence
from biaffinity.encoders.parts import load_encoder
from biaffinity.encoders.recurrent.encoder import RecurrentEncoder, WordEmbedding
from biaffinity.encoders.recurrent.settings import RecurrentSettings
from biaffinity.encoders.recurrent.vectors import WordVectors
from biaffinity.encoders.recurrent.vocabulary import PADDING, UNKNOWN
from model.tiny import ENCODER_SIZES, SIZES, UNSEEN, WORD_SIZE, encode, stir, tiny_model

CHARACTERS = 2 * ENCODER_SIZES["character_hidden"]


def tiny_encoder(sentences: Sequence[Sentence], **switches: Any) -> RecurrentEncoder:
    return tiny_model(sentences, **switches).encoder


def features(encoder: RecurrentEncoder, sentences: Sequence[Sentence]) -> dict[str, Tensor]:
    reader = encoder.new_featuriser()
    arrays = reader.collate([reader.featurise(sentence.tokens) for sentence in sentences])
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def test_numbers_below_the_trained_ones_are_trained_rows_and_the_rest_fixed_ones() -> None:
    torch.manual_seed(0)
    fixed = torch.randn(3, 4).half()
    table = WordEmbedding(5, 4, fixed, rare=False).eval()
    words = torch.tensor([[0, 4, 5], [7, 1, 6]])
    expected = torch.stack(
        [
            torch.stack([table.trained[0], table.trained[4], fixed[0].float()]),
            torch.stack([fixed[2].float(), table.trained[1], fixed[1].float()]),
        ]
    )
    assert table(words).equal(expected)


def test_the_vectors_of_unseen_words_are_not_trained() -> None:
    table = WordEmbedding(5, 4, torch.ones(3, 4).half(), rare=False)
    assert [name for name, _ in table.named_parameters()] == ["trained"]
    assert table.unseen.dtype == torch.float16
    table.eval()(torch.tensor([[5, 3]])).sum().backward()
    assert table.trained.grad is not None
    assert table.trained.grad.sum(1).tolist() == [0, 0, 0, 4, 0]


def test_rare_words_are_read_by_their_fixed_vectors_in_training_too() -> None:
    table = WordEmbedding(5, 4, torch.ones(3, 4).half(), rare=True).train()
    assert table(torch.tensor([[6]])).tolist() == [[[1, 1, 1, 1]]]


def test_only_frequent_words_get_rows_and_rare_ones_their_pretrained_vectors() -> None:
    sentences = [Sentence(["Ada", "met", "Ada"]), Sentence(["Bo", "met", "Zzz"])]
    vectors = WordVectors(["bo", "met", "oslo"], np.eye(3, dtype=np.float32), "vectors.txt")
    settings = RecurrentSettings(min_count=2, keep_unseen=1)
    encoder, _ = RecurrentEncoder.build(settings, sentences, (), vectors, dropout=0.0)
    assert (encoder.vocabulary.words, encoder.vocabulary.unseen) == (["ada", "met"], ["bo"])
    assert set(encoder.vocabulary.characters) == set("Adametz")
    read = encoder.train()(features(encoder, sentences))[1, :, :3]
    assert read[0].tolist() == [1, 0, 0]
    assert read[2].equal(encoder.words.trained[UNKNOWN])


def test_padding_starts_at_zero() -> None:
    table = WordEmbedding(5, 4, torch.zeros(0, 4), rare=False)
    assert not table.trained[PADDING].any()
    assert table.trained[UNKNOWN].any()


@pytest.mark.parametrize("characters", [True, False])
def test_a_token_is_as_wide_as_its_parts(news: list[Sentence], characters: bool) -> None:
    encoder = tiny_encoder(news, characters=characters)
    width = WORD_SIZE + CHARACTERS * characters
    assert encoder.output_size == width
    assert encoder(features(encoder, news)).shape == (len(news), max(map(len, news)), width)


def test_a_token_is_its_word_and_its_characters(news: list[Sentence]) -> None:
    encoder = tiny_encoder(news).eval()
    vectors = encoder(features(encoder, news))[0]
    assert encoder.characters is not None
    for column, token in enumerate(news[0].tokens):
        word = encoder.words.trained[encoder.vocabulary.word(token.lower())]
        spelling = torch.tensor([encoder.vocabulary.alphabet.spell(token)])
        characters = encoder.characters(spelling, torch.tensor([spelling.size(1)]))[0]
        torch.testing.assert_close(vectors[column], torch.cat([word, characters]))


@pytest.mark.parametrize("characters", [True, False])
def test_given_boundaries_are_embedded_behind_the_vectors_of_tokens(
    news: list[Sentence], characters: bool
) -> None:
    model = tiny_model(news, boundaries="given", characters=characters).eval()
    batch, _ = encode(model, news)
    vectors, _ = model.token_vectors(batch)
    plain = model.encoder(features(model.encoder, news))
    assert vectors.size(2) == model.encoder.output_size + SIZES["boundary_size"]
    assert vectors[:, :, : plain.size(2)].equal(plain)
    assert model.boundaries is not None
    tags = torch.from_numpy(batch.boundaries)
    assert vectors[:, :, plain.size(2) :].equal(model.boundaries.embedding.weight[tags])


@pytest.mark.parametrize(("boundaries", "matters"), [("predicted", False), ("given", True)])
def test_boundaries_matter_only_where_they_are_given(
    news: list[Sentence], boundaries: str, matters: bool
) -> None:
    model = tiny_model(news, boundaries=boundaries).eval()
    with_entities, without = (
        model.token_vectors(encode(model, [sentence])[0])[0] for sentence in (news[0], news[0].annotated(()))
    )
    assert with_entities.equal(without) is not matters


def test_words_are_hidden_in_training_only(news: list[Sentence]) -> None:
    encoder = tiny_encoder(news, dropout=0.0, word_dropout=1e9, characters=False)
    batch = features(encoder, [news[0]])
    unknown = encoder.words.trained[UNKNOWN]
    torch.manual_seed(0)
    hidden = encoder.train()(batch)
    assert hidden.equal(unknown.expand_as(hidden))
    seen = encoder.eval()(batch)
    assert not (seen == unknown).all(2).any()


def test_the_unknown_word_and_unseen_words_have_vectors_of_their_own(news: list[Sentence]) -> None:
    encoder = tiny_encoder(news, characters=False).eval()
    vectors = encoder(features(encoder, [Sentence([UNSEEN[0], "xyzzy", UNSEEN[2].upper()])]))[0]
    table = encoder.words
    assert vectors.equal(
        torch.stack([table.unseen[0].float(), table.trained[UNKNOWN], table.unseen[2].float()])
    )


def test_dropout_hides_parts_of_tokens_in_training_only(news: list[Sentence]) -> None:
    encoder = tiny_encoder(news, dropout=0.5, word_dropout=0.0)
    batch = features(encoder, news)
    torch.manual_seed(0)
    assert (encoder.train()(batch) == 0).float().mean() > 0.4
    assert encoder.eval()(batch).equal(encoder(batch))


@pytest.mark.parametrize("characters", [True, False])
def test_a_twin_starts_with_the_same_words_and_goes_its_own_way(
    news: list[Sentence], characters: bool
) -> None:
    encoder = tiny_encoder(news, characters=characters)
    twin = encoder.twin()
    assert twin.words.trained.equal(encoder.words.trained)
    assert (twin.settings, twin.vocabulary, twin.rate) == (encoder.settings, encoder.vocabulary, encoder.rate)
    stir(twin)
    assert not twin.words.trained.equal(encoder.words.trained)


def test_twins_have_one_table_of_unseen_words(news: list[Sentence]) -> None:
    encoder = tiny_encoder(news)
    assert encoder.twin().words.unseen is encoder.words.unseen


def test_twins_that_were_moved_have_one_table_again(news: list[Sentence]) -> None:
    encoder = tiny_encoder(news)
    twin = encoder.twin()
    encoder.double(), twin.double()
    assert twin.words.unseen is not encoder.words.unseen
    encoder.share_tables(twin)
    assert twin.words.unseen is encoder.words.unseen


def test_a_saved_encoder_comes_back_but_for_its_weights(news: list[Sentence], tmp_path: Path) -> None:
    encoder = tiny_encoder(news).eval()
    encoder.save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == list(encoder.settings.files)
    again = RecurrentEncoder.load(tmp_path, encoder.settings, dropout=encoder.rate).eval()
    assert again.vocabulary == encoder.vocabulary
    again.load_state_dict(encoder.state_dict())
    batch = features(encoder, [*news, Sentence([*UNSEEN, "xyzzy"])])
    assert again(features(again, [*news, Sentence([*UNSEEN, "xyzzy"])])).equal(encoder(batch))


def test_settings_name_their_encoder(news: list[Sentence], tmp_path: Path) -> None:
    encoder = tiny_encoder(news)
    encoder.save(tmp_path)
    assert type(load_encoder(tmp_path, encoder.settings, dropout=0.0)) is RecurrentEncoder


def test_without_characters_there_is_nothing_to_export(news: list[Sentence]) -> None:
    assert tiny_encoder(news, characters=False).graphs() == {}
