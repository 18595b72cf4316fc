"""A handful of tiny models that have every switch of the paper between them, exported once per session."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="PyTorch is the judge")
pytest.importorskip("onnx", reason="PyTorch exports with it")

import torch

from biaffinity.annotation import Sentence
from biaffinity.encoders.recurrent.encoder import RecurrentEncoder
from biaffinity.model.joint import JointModel
from model.tiny import UNSEEN, WORD_SIZE, stir, tiny_model
from runtime.exported import exported

#: The model of `tests/conftest.py`, which is exported anyway.
TRAINED = "trained"
#: What a model is whose network is compared between the runtimes. What only decoding knows is not among
#: them: a folder is read under other settings of it at no cost.
COMBINATIONS: dict[str, dict[str, Any]] = {
    TRAINED: {"context": True},
    "pipeline": {
        "architecture": "pipeline",
        "label_embeddings": False,
        "character_shared": False,
        "linear": False,
        "lstm_layers": 1,
    },
    "softmax": {"tagger": "softmax", "characters": False, "bilinear": False, "lstm_layers": 3},
    "given": {"boundaries": "given", "context": True, "character_shared": False, "linear": False},
    "given, pipeline": {
        "boundaries": "given",
        "architecture": "pipeline",
        "label_embeddings": False,
        "tagger": "softmax",
        "characters": False,
        "bilinear": False,
    },
}
#: The one whose vocabulary ends with the words of training.
WITHOUT_UNSEEN = "given, pipeline"


@pytest.fixture(scope="session")
def strange_news(news: list[Sentence]) -> list[Sentence]:
    """The sample sentences, and one of words that training never met."""
    return [*news, Sentence([*UNSEEN, "xyzzy", "日本"])]


@pytest.fixture(scope="session")
def combination(news: list[Sentence], folder: Path, made_once: Callable[..., Path]) -> Callable[[str], Path]:
    """The folder of an exported combination, with random weights unless trained; not to be changed."""

    def make(name: str, target: Path) -> None:
        model = tiny_model(news, **COMBINATIONS[name])
        if name == WITHOUT_UNSEEN:
            model = without_unseen(model)
        stir(model)
        model.relations.scorer.temperature.fill_(0.7)
        exported(model, target)

    def made(name: str) -> Path:
        return folder if name == TRAINED else made_once(f"combinations/{name}", partial(make, name))

    return made


def without_unseen(model: JointModel) -> JointModel:
    """The same with fresh weights and no vectors of words that training never met."""
    own = model.encoder
    vocabulary = own.vocabulary.with_unseen([])
    encoder = RecurrentEncoder(own.settings, vocabulary, torch.zeros(0, WORD_SIZE), dropout=own.rate)
    return JointModel(model.config, model.schema, encoder)
