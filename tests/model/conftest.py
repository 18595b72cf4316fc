"""The sample sentences and tiny models that have learnt them, made once per session."""

from __future__ import annotations

from pathlib import Path

import pytest

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.model.joint import JointModel
from model.tiny import fit, tiny_model


@pytest.fixture(scope="session")
def news(samples: Path) -> list[Sentence]:
    """The sentences of samples/news.jsonl."""
    return list(formats.read(samples / "news.jsonl"))


@pytest.fixture(scope="session")
def trained(news: list[Sentence]) -> JointModel:
    """A tiny model of setup 1 that knows the sample by heart; not to be changed."""
    model = tiny_model(news, context=True, constrained=True, dropout=0.1)
    fit(model, news, 110)
    return model


@pytest.fixture(scope="session")
def trained_within(news: list[Sentence]) -> JointModel:
    """The same for setup 2, entity boundaries given."""
    model = tiny_model(news, setup=2, constrained=True, dropout=0.1)
    fit(model, news, 80)
    return model
