"""A model as the commands speak of it: what tells it from others, and how it signs its labels."""

from __future__ import annotations

import hashlib
from pathlib import Path

from biaffinity.config.folder import ABOUT, CARD, model_files, read_description
from biaffinity.extraction.loading import DEFAULT_MODEL
from biaffinity.formats import Machine
from biaffinity.version import __version__


def model_identity(folder: Path) -> str:
    """What tells a model from any other: its files less what is said of it, whatever folder they are in."""
    digest = hashlib.blake2b(digest_size=16)
    for path in model_files(folder):
        if path.name not in (CARD, ABOUT):
            digest.update(path.read_bytes())
            digest.update(path.name.encode())
    return digest.hexdigest()


def machine(model: str | None, folder: Path) -> Machine:
    """Who labels: the model by the name it was asked for, its folder's where it is one, and its version."""
    name = folder.resolve().name if model and Path(model).is_dir() else model or DEFAULT_MODEL
    schema = read_description(folder).decoding.schema
    version = f"{name} {model_identity(folder)[:8]} (biaffinity {__version__})"
    return Machine(version, tuple(schema.entity_types), tuple(schema.relation_types))
