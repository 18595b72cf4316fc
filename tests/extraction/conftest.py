"""Tiny models that know the sample by heart, as folders and as extractors, made once per session."""

from __future__ import annotations

from pathlib import Path

import pytest

import biaffinity
from biaffinity import Extractor, Sentence, formats
from biaffinity.extraction.export import export
from biaffinity.model.folder import save_model
from biaffinity.model.joint import JointModel
from model.tiny import fit, stir, tiny_model


@pytest.fixture(scope="session")
def news(samples: Path) -> list[Sentence]:
    """The sentences of samples/news.jsonl."""
    return list(formats.read(samples / "news.jsonl"))


@pytest.fixture(scope="session")
def trained(news: list[Sentence]) -> JointModel:
    """A model that finds entities (setup 1); not to be changed."""
    model = tiny_model(news, context=True, constrained=True, dropout=0.1)
    fit(model, news, 110)
    return model


@pytest.fixture(scope="session")
def folder(trained: JointModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as a folder with model.onnx."""
    path = tmp_path_factory.mktemp("models") / "news"
    save_model(trained, path)
    export(path)
    return path


@pytest.fixture(scope="session")
def extractor(folder: Path) -> Extractor:
    """The same as most users have it."""
    return biaffinity.load(folder)


@pytest.fixture(scope="session")
def within(news: list[Sentence]) -> Extractor:
    """An extractor of a model that is given the boundaries of entities (setup 2)."""
    model = tiny_model(news, setup=2, constrained=True, dropout=0.1)
    fit(model, news, 80)
    return Extractor(model)


@pytest.fixture(scope="session")
def lawless(news: list[Sentence]) -> Extractor:
    """An extractor of a model with random weights that may spell labels of two types in one entity."""
    model = tiny_model(news, constrained=False)
    stir(model)
    return Extractor(model.eval())
