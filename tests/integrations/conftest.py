"""A tiny model that knows the sample by heart, and pipelines around it."""

from __future__ import annotations

from pathlib import Path

import pytest

import biaffinity
from biaffinity import Extractor, Sentence, formats
from biaffinity.extraction.export import export
from biaffinity.model.folder import save_model
from model.tiny import fit, tiny_model


@pytest.fixture(scope="session")
def news(samples: Path) -> list[Sentence]:
    """The sentences of samples/news.jsonl."""
    return list(formats.read(samples / "news.jsonl"))


@pytest.fixture(scope="session")
def folder(news: list[Sentence], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder with model.onnx."""
    model = tiny_model(news, context=True, constrained=True, dropout=0.1)
    fit(model, news, 110)
    path = tmp_path_factory.mktemp("models") / "news"
    save_model(model, path)
    export(path)
    return path


@pytest.fixture(scope="session")
def extractor(folder: Path) -> Extractor:
    """The model without spaCy around it."""
    return biaffinity.load(folder)
