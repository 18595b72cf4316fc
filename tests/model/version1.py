"""Model folders as version 1 of the program wrote them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from safetensors.torch import save_file

from biaffinity.model.folder import owned_tensors
from biaffinity.model.joint import JointModel

#: How the names of tensors begin, and how they began; the first that fits counts.
NAMES = (
    ("relation_boundaries.embedding.", "relation_tokens.boundaries."),
    ("boundaries.embedding.", "tokens.boundaries."),
    ("relation_encoder.", "relation_tokens."),
    ("encoder.", "tokens."),
    ("relations.scorer.head.", "relations.head."),
    ("relations.scorer.tail.", "relations.tail."),
    ("relations.scorer.terms.bilinear.weight", "relations.biaffine.bilinear"),
    ("relations.scorer.terms.linear.weight", "relations.biaffine.linear"),
    ("relations.scorer.terms.context.projection.", "relations.context."),
    ("relations.scorer.terms.context.output.", "relations.context_output."),
    ("relations.scorer.bias", "relations.biaffine.bias"),
)


def old_name(name: str) -> str:
    """What a tensor was called."""
    for new, old in NAMES:
        if name.startswith(new):
            return old + name.removeprefix(new)
    return name


def old_config(model: JointModel) -> dict[str, Any]:
    """A model's config as it was written down; how it is trained does not matter here."""
    values = model.config.model_dump()
    encoder, network, training = values["encoder"], values["model"], values["training"]
    moved = ("characters", "character_size", "character_hidden", "character_shared", "word_dropout")
    return {
        "encoding": {key: encoder[key] for key in ("normalisation", "vocabulary")},
        "vectors": {
            "unseen": encoder["unseen_words"],
            "keep": encoder["keep_unseen"],
            "size": encoder["word_size"],
        },
        "model": {
            "setup": 1 if network.pop("boundaries") == "predicted" else 2,
            "entity_doubt": network.pop("entity_confidence_weight"),
            **network,
            **{key: encoder[key] for key in moved},
        },
        "training": {
            **{key: training[key] for key in ("epochs", "batch_size", "learning_rate", "schedule", "clip")},
            "relation_labels": training["relation_labels"],
            "averaging": 0.0,
            "unrelated_share": training["negative_ratio"],
        },
    }


def write_version_1(model: JointModel, folder: Path) -> Path:
    """The folder of a model that was never calibrated, as version 1 wrote it."""
    folder.mkdir(parents=True)
    vocabulary = model.encoder.vocabulary.to_dict()
    head = {"format": "biaffinity-model", "version": 1, "word_size": vocabulary.pop("word_size")}
    (folder / "config.json").write_text(json.dumps({**head, "config": old_config(model)}, indent=2))
    vocabulary |= model.schema.to_dict()
    (folder / "vocabulary.json").write_text(json.dumps(vocabulary, ensure_ascii=False), encoding="utf-8")
    tensors = {old_name(name): tensor.contiguous() for name, tensor in owned_tensors(model).items()}
    del tensors["relations.scorer.temperature"]
    save_file(tensors, folder / "model.safetensors", {"format": "biaffinity-model", "epoch": "17"})
    (folder / "model.onnx").write_bytes(b"the graph of version 1")
    return folder
