"""A tiny model that is given boundaries, made once per session."""

from __future__ import annotations

import pytest

from biaffinity.annotation import Sentence
from biaffinity.model.joint import JointModel
from model.tiny import fit, tiny_model


@pytest.fixture(scope="session")
def trained_within(news: list[Sentence]) -> JointModel:
    """A model that knows the sample by heart, entity boundaries given."""
    model = tiny_model(news, boundaries="given", constrained=True, dropout=0.1)
    fit(model, news, 80)
    return model
