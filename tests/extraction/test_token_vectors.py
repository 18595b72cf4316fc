"""Character vectors in numpy beside PyTorch's, and how they are remembered."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is the judge")

import torch

from biaffinity.annotation import Sentence
from biaffinity.extraction import token_vectors
from biaffinity.extraction.token_vectors import CharacterVectors, TokenVectors
from biaffinity.extraction.weights import Weights
from biaffinity.model.description import read_description
from biaffinity.model.folder import save_model
from biaffinity.model.joint import JointModel
from biaffinity.model.tensors import TokenTensors
from model.tiny import UNSEEN, encode, stir, tiny_model

Spellings = tuple[np.ndarray, np.ndarray]


@pytest.fixture(params=[True, False], ids=["one LSTM", "two LSTMs"])
def model(request: pytest.FixtureRequest, news: list[Sentence]) -> JointModel:
    model = tiny_model(news, character_shared=request.param).eval()
    stir(model)
    return model


@pytest.fixture
def characters(model: JointModel, tmp_path: Path) -> CharacterVectors:
    save_model(model, tmp_path)
    symbols = 4 + len(model.vocabulary.characters)
    return CharacterVectors(Weights.read(tmp_path), "tokens.characters", symbols, model.config.model)


def spellings(count: int, seed: int = 0) -> Spellings:
    """Random word forms of 3 to 12 characters, in no order."""
    random = np.random.default_rng(seed)
    lengths = random.integers(3, 13, count)
    numbers = random.integers(1, 40, (count, 12))
    numbers[np.arange(12) >= lengths[:, None]] = 0
    numbers[np.arange(count), lengths - 1] = 3
    return numbers, lengths


def judged(model: JointModel, words: Spellings) -> np.ndarray:
    assert model.tokens.characters is not None
    with torch.no_grad():
        return model.tokens.characters(*(torch.from_numpy(part) for part in words)).numpy()


def test_character_vectors_are_those_of_pytorch(model: JointModel, characters: CharacterVectors) -> None:
    words = spellings(50)
    np.testing.assert_allclose(characters(*words), judged(model, words), atol=1e-5)


def test_a_form_is_read_once(
    model: JointModel, characters: CharacterVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    whole = CharacterVectors._read
    monkeypatch.setattr(
        CharacterVectors, "_read", lambda self, *words: read.append(len(words[1])) or whole(self, *words)
    )
    first, second = spellings(20), spellings(30, seed=1)
    both = tuple(np.concatenate(parts) for parts in zip(first, second, strict=True))
    for words in (first, first, both, second):
        np.testing.assert_allclose(characters(*words), judged(model, words), atol=1e-5)
    assert read == [20, 30]


def test_forms_that_are_spelt_alike_in_one_batch_take_one_row(
    model: JointModel, characters: CharacterVectors
) -> None:
    """Two words that differ in unknown characters alone have the same numbers."""
    first, second = spellings(5), spellings(5, seed=1)
    doubled = tuple(np.concatenate([part, part]) for part in first)
    for words in (doubled, second, first):
        np.testing.assert_allclose(characters(*words), judged(model, words), atol=1e-5)
    assert sorted(characters._rows.values()) == list(range(10))


def test_wider_padding_is_the_same_form(characters: CharacterVectors) -> None:
    numbers, lengths = spellings(10)
    wide = np.pad(numbers, ((0, 0), (0, 7)))
    np.testing.assert_array_equal(characters(wide, lengths), characters(numbers, lengths))
    assert len(characters._rows) == 10


def test_what_is_remembered_is_bounded(
    model: JointModel, characters: CharacterVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_vectors, "REMEMBERED", 25)
    for seed in range(8):
        words = spellings(15, seed % 3)
        np.testing.assert_allclose(characters(*words), judged(model, words), atol=1e-5)
        assert len(characters._rows) <= 40


def test_threads_may_share_what_is_remembered(
    model: JointModel, characters: CharacterVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_vectors, "REMEMBERED", 25)
    parts = [spellings(15, seed % 5) for seed in range(60)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda words: characters(*words), parts))
    for words, vectors in zip(parts, found, strict=True):
        np.testing.assert_allclose(vectors, judged(model, words), atol=1e-5)


@pytest.mark.parametrize("setup", [1, 2])
@pytest.mark.parametrize("part", ["tokens", "relation_tokens"])
def test_token_vectors_are_those_of_pytorch(
    setup: int, part: str, news: list[Sentence], tmp_path: Path
) -> None:
    model = tiny_model(news, setup=setup, architecture="pipeline").eval()
    stir(model)
    save_model(model, tmp_path)
    batch = encode(model, [*news, Sentence([*UNSEEN, "xyzzy", "Ana"])])
    with torch.no_grad():
        theirs = getattr(model, part)(TokenTensors.of(batch, model.device)).numpy()
    ours = TokenVectors(Weights.read(tmp_path), part, read_description(tmp_path))(batch)
    np.testing.assert_allclose(ours, theirs.transpose(1, 0, 2), atol=1e-5)
