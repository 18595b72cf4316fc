"""A tiny transformer as an encoder, made once per session."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra transformers")

from biaffinity.annotation import Sentence
from biaffinity.encoders.transformer.encoder import TransformerEncoder
from biaffinity.encoders.transformer.pieces import WordPieces
from encoders.transformer import tiny


@pytest.fixture(scope="session")
def pieces(news: list[Sentence]) -> WordPieces:
    """The pieces that a tiny transformer knows."""
    return tiny.word_pieces(news)


@pytest.fixture(scope="session")
def first(transformer: Path, news: list[Sentence]) -> TransformerEncoder:
    """An encoder to which a word is its first piece; not to be changed."""
    return tiny.encoder(transformer, news, pooling="first")


@pytest.fixture(scope="session")
def mean(transformer: Path, news: list[Sentence]) -> TransformerEncoder:
    """An encoder to which a word is the mean of its pieces; not to be changed."""
    return tiny.encoder(transformer, news, pooling="mean")
