"""Token vectors: which table a word comes from, what is hidden when, and what they are made of."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from biaffinity.annotation import Sentence
from biaffinity.encoding.vocabulary import PADDING, UNKNOWN
from biaffinity.model.joint import JointModel
from biaffinity.model.tensors import TokenTensors
from biaffinity.model.tokens import WordEmbedding
from model.tiny import SIZES, UNSEEN, WORD_SIZE, encode, tiny_model

CPU = torch.device("cpu")


def tensors(model: JointModel, sentences: list[Sentence]) -> TokenTensors:
    return TokenTensors.of(encode(model, sentences), CPU)


def test_numbers_below_the_trained_ones_are_trained_rows_and_the_rest_fixed_ones() -> None:
    torch.manual_seed(0)
    fixed = torch.randn(3, 4).half()
    table = WordEmbedding(5, 4, fixed).eval()
    words = torch.tensor([[0, 4, 5], [7, 1, 6]])
    expected = torch.stack(
        [
            torch.stack([table.trained[0], table.trained[4], fixed[0].float()]),
            torch.stack([fixed[2].float(), table.trained[1], fixed[1].float()]),
        ]
    )
    assert table(words).equal(expected)


def test_the_vectors_of_unseen_words_are_not_trained() -> None:
    table = WordEmbedding(5, 4, torch.ones(3, 4).half())
    assert [name for name, _ in table.named_parameters()] == ["trained"]
    assert table.unseen.dtype == torch.float16
    table.eval()(torch.tensor([[5, 3]])).sum().backward()
    assert table.trained.grad is not None
    assert table.trained.grad.sum(1).tolist() == [0, 0, 0, 4, 0]


def test_padding_starts_at_zero() -> None:
    table = WordEmbedding(5, 4, torch.zeros(0, 4))
    assert not table.trained[PADDING].any()
    assert table.trained[UNKNOWN].any()


@pytest.mark.parametrize(
    ("switches", "width"),
    [
        ({}, WORD_SIZE + 2 * SIZES["character_hidden"]),
        ({"characters": False}, WORD_SIZE),
        ({"setup": 2}, WORD_SIZE + 2 * SIZES["character_hidden"] + SIZES["boundary_size"]),
        ({"setup": 2, "characters": False}, WORD_SIZE + SIZES["boundary_size"]),
    ],
)
def test_a_token_is_as_wide_as_its_parts(news: list[Sentence], switches: dict[str, Any], width: int) -> None:
    model = tiny_model(news, **switches)
    vectors = model.tokens(tensors(model, news))
    assert model.tokens.output_size == width
    assert vectors.shape == (len(news), max(map(len, news)), width)


def test_a_token_is_its_word_its_characters_and_its_boundary(news: list[Sentence]) -> None:
    model = tiny_model(news, setup=2).eval()
    sentence = news[0]
    encoder = model.tokens
    vectors = encoder(tensors(model, news))[0]
    assert encoder.characters is not None
    assert encoder.boundaries is not None
    boundaries = model.encoder.encode(sentence).boundaries
    for column, token in enumerate(sentence.tokens):
        word = encoder.words.trained[model.vocabulary.word(token.lower())]
        spelling = torch.tensor([model.vocabulary.spell(token)])
        characters = encoder.characters(spelling, torch.tensor([spelling.size(1)]))[0]
        boundary = encoder.boundaries.weight[boundaries[column]]
        torch.testing.assert_close(vectors[column], torch.cat([word, characters, boundary]))


def test_boundaries_matter_in_setup_2_only(news: list[Sentence]) -> None:
    for setup, matters in ((1, False), (2, True)):
        model = tiny_model(news, setup=setup).eval()
        with_entities = model.tokens(tensors(model, [news[0]]))
        without = model.tokens(tensors(model, [news[0].annotated(())]))
        assert with_entities.equal(without) is not matters


def test_words_are_hidden_in_training_only(news: list[Sentence]) -> None:
    model = tiny_model(news, dropout=0.0, word_dropout=1e9, characters=False)
    batch = tensors(model, [news[0]])
    unknown = model.tokens.words.trained[UNKNOWN]
    torch.manual_seed(0)
    hidden = model.train().tokens(batch)
    assert hidden.equal(unknown.expand_as(hidden))
    seen = model.eval().tokens(batch)
    assert not (seen == unknown).all(2).any()


def test_the_unknown_word_and_unseen_words_have_vectors_of_their_own(news: list[Sentence]) -> None:
    model = tiny_model(news, characters=False).eval()
    vectors = model.tokens(tensors(model, [Sentence([UNSEEN[0], "xyzzy", UNSEEN[2].upper()])]))[0]
    table = model.tokens.words
    assert vectors.equal(
        torch.stack([table.unseen[0].float(), table.trained[UNKNOWN], table.unseen[2].float()])
    )


def test_dropout_hides_parts_of_tokens_in_training_only(news: list[Sentence]) -> None:
    model = tiny_model(news, dropout=0.5, word_dropout=0.0)
    batch = tensors(model, news)
    torch.manual_seed(0)
    assert (model.train().tokens(batch) == 0).float().mean() > 0.4
    assert model.eval().tokens(batch).equal(model.tokens(batch))
