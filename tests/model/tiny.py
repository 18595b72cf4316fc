"""Tiny models: every part of the network there, none wider than a hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.config.settings import Config, ModelConfig
from biaffinity.decoding.network import Batch
from biaffinity.decoding.schema import Schema
from biaffinity.encoders.recurrent.encoder import RecurrentEncoder
from biaffinity.encoders.recurrent.settings import RecurrentSettings
from biaffinity.encoders.recurrent.vocabulary import Vocabulary
from biaffinity.model.gold import Gold
from biaffinity.model.joint import JointModel
from biaffinity.training.examples import Examples

WORD_SIZE = 11
ENCODER_SIZES: dict[str, Any] = {"character_size": 5, "character_hidden": 4}
SIZES: dict[str, Any] = {
    "boundary_size": 6,
    "lstm_hidden": 8,
    "tagger_hidden": 9,
    "label_size": 6,
    "projection": 7,
}
UNSEEN = ["zephyr", "bora", "mistral"]

#: The switches of the paper, one by one.
SWITCHES: dict[str, dict[str, Any]] = {
    "full": {},
    "pipeline": {"architecture": "pipeline"},
    "no characters": {"characters": False},
    "two character LSTMs": {"character_shared": False},
    "softmax": {"tagger": "softmax"},
    "no label embeddings": {"label_embeddings": False},
    "linear only": {"bilinear": False},
    "bilinear only": {"linear": False},
    "all candidates": {"candidates": "all"},
    "constrained": {"constrained": True},
    "constrained softmax": {"constrained": True, "tagger": "softmax"},
    "context": {"context": True},
}


def tiny_config(**switches: Any) -> Config:
    """The paper's config with tiny sizes and the given switches, of the encoder or of the model."""
    encoder = {key: switches.pop(key) for key in [*switches] if key in RecurrentSettings.model_fields}
    return Config(
        encoder=RecurrentSettings(**{**ENCODER_SIZES, **encoder}), model=ModelConfig(**{**SIZES, **switches})
    )


def tiny_model(sentences: Sequence[Sentence], *, seed: int = 0, **switches: Any) -> JointModel:
    """A model with fresh weights over what the sentences hold, and vectors of three words they do not."""
    config = tiny_config(**switches)
    vocabulary = Vocabulary.build(sentences, config.encoder.normalisation, word_size=WORD_SIZE)
    torch.manual_seed(seed)
    unseen = torch.randn(len(UNSEEN), WORD_SIZE).half()
    encoder = RecurrentEncoder(
        config.encoder, vocabulary.with_unseen(UNSEEN), unseen, dropout=config.model.dropout
    )
    return JointModel(config, Schema.build(sentences), encoder)


def stir(model: torch.nn.Module, seed: int = 0, scale: float = 0.5) -> None:
    """Give every parameter random values, so that none of them is without effect."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=scale)


def encode(model: JointModel, sentences: Sequence[Sentence]) -> tuple[Batch, Gold]:
    """The sentences as one batch, and what is annotated in them."""
    return Examples(model, sentences).batch(range(len(sentences)))


def losses(
    model: JointModel, sentences: Sequence[Sentence], *, predicted: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """Tagger and relation loss; by default on gold labels."""
    return model.losses(*encode(model, sentences), predicted=predicted)


def fit(model: JointModel, sentences: Sequence[Sentence], steps: int, rate: float = 0.02) -> None:
    """Train on all sentences at once."""
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    torch.manual_seed(0)
    model.train()
    for _ in range(steps):
        optimiser.zero_grad()
        tagger_loss, relation_loss = losses(model, sentences)
        (tagger_loss + relation_loss).backward()
        optimiser.step()
    model.eval()


def bare(sentence: Sentence) -> Sentence:
    """The sentence without scores."""
    return sentence.annotated(
        [Entity(e.start, e.end, e.type) for e in sentence.entities],
        sorted(
            (Relation(r.type, r.head, r.tail) for r in sentence.relations), key=lambda r: (r.head, r.tail)
        ),
    )


def assert_alike(ours: Sentence, theirs: Sentence, tolerance: float = 1e-5) -> None:
    """The same annotation, with scores within the tolerance."""
    assert bare(ours) == bare(theirs)
    for a, b in zip([*ours.entities, *ours.relations], [*theirs.entities, *theirs.relations], strict=True):
        assert a.score is not None
        assert b.score is not None
        assert abs(a.score - b.score) < tolerance
