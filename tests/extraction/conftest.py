"""Extractors of tiny models that are unlike the usual one, made once per session."""

from __future__ import annotations

import pytest

from biaffinity import Extractor, Sentence
from biaffinity.model.network import TorchNetwork
from model.tiny import fit, stir, tiny_model


@pytest.fixture(scope="session")
def within(news: list[Sentence]) -> Extractor:
    """An extractor of a model that is given the boundaries of entities."""
    model = tiny_model(news, boundaries="given", constrained=True, dropout=0.1)
    fit(model, news, 80)
    return Extractor(TorchNetwork(model))


@pytest.fixture(scope="session")
def lawless(news: list[Sentence]) -> Extractor:
    """An extractor of a model with random weights that may spell labels of two types in one entity."""
    model = tiny_model(news, constrained=False)
    stir(model)
    return Extractor(TorchNetwork(model))
