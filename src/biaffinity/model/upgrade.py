"""A model folder of version 1 rewritten as one of version 2: the same numbers under other names."""

from __future__ import annotations

import json
from pathlib import Path

import torch

from biaffinity.config.folder import CONFIG, WEIGHTS, read_head
from biaffinity.config.settings import validate
from biaffinity.config.upgrade import upgraded_head, upgraded_tensor
from biaffinity.errors import DataError
from biaffinity.files import read_json, writing
from biaffinity.model.folder import load_tensors, save_tensors

_VOCABULARY = "vocabulary.json"
#: The graph of version 1, which nothing reads any more; it would go with the model wherever that goes.
_GRAPH = "model.onnx"


def upgrade_folder(folder: Path) -> bool:
    """Bring the model in a folder up to date; whether there was anything to do.

    The files of version 1 are read before any is written, and each is written whole. Cut short between
    two of them, the folder says clearly that its files do not go together, and must be copied again.
    """
    head = read_head(folder)
    if head["version"] != 1:
        return False
    vocabulary = read_json(folder / _VOCABULARY)
    tensors, metadata = load_tensors(folder / WEIGHTS)
    try:
        head, vocabulary = upgraded_head(head, vocabulary)
    except (AttributeError, KeyError) as error:
        raise DataError(f"is not a whole model of version 1: {error!r}", where=str(folder)) from error
    validate(head["config"], where=str(folder / CONFIG))
    tensors = {upgraded_tensor(name): tensor for name, tensor in tensors.items()}
    save_tensors(folder / WEIGHTS, {**tensors, "relations.scorer.temperature": torch.ones(())}, metadata)
    with writing(folder / _VOCABULARY) as file:
        json.dump(vocabulary, file, ensure_ascii=False)
    with writing(folder / CONFIG) as file:
        json.dump(head, file, indent=2, ensure_ascii=False)
    (folder / _GRAPH).unlink(missing_ok=True)
    return True
