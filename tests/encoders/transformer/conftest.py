"""A tiny transformer as an encoder, made once per session."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from biaffinity import Sentence
    from biaffinity.encoders.transformer.encoder import TransformerEncoder
    from biaffinity.encoders.transformer.pieces import WordPieces


@pytest.fixture(scope="session")
def pieces(news: list[Sentence]) -> WordPieces:
    """The pieces that a tiny transformer knows."""
    from encoders.transformer import tiny

    return tiny.word_pieces(news)


@pytest.fixture(scope="session")
def first(transformer: Path, news: list[Sentence]) -> TransformerEncoder:
    """An encoder to which a word is its first piece; not to be changed."""
    from encoders.transformer import tiny

    return tiny.encoder(transformer, news, pooling="first")


@pytest.fixture(scope="session")
def mean(transformer: Path, news: list[Sentence]) -> TransformerEncoder:
    """An encoder to which a word is the mean of its pieces; not to be changed."""
    from encoders.transformer import tiny

    return tiny.encoder(transformer, news, pooling="mean")
