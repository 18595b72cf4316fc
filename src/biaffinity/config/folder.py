"""A model's folder, as far as it can be read without PyTorch: what files it has, and what the model is.

config.json           format, version, the model's types (schema), its settings, checksums of the other files
model.safetensors     the weights
*.onnx                the network for the runtime without PyTorch, made by the export
README.md             the model card
about.json            what it is for, what its types mean, whose data it learnt from, if somebody wrote it
examples.json         texts to try the model on, by name, if somebody wrote some
and what the encoder saves, such as vocabulary.json
"""

from __future__ import annotations

import errno
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biaffinity.checksums import SEAL, file_checksum, is_sound
from biaffinity.config.settings import Config, validate
from biaffinity.decoding.network import Description
from biaffinity.decoding.schema import Schema
from biaffinity.errors import BiaffinityError, DataError
from biaffinity.files import read_json, refused, writing

FORMAT = "biaffinity-model"
VERSION = 2
CONFIG = "config.json"
WEIGHTS = "model.safetensors"
CARD = "README.md"
ABOUT = "about.json"
EXAMPLES = "examples.json"
GRAPH_SUFFIX = ".onnx"
#: The key of config.json under which it has the checksums of the other files, by name (see `config.seal`).
FILES = "files"
_KEYS = ("format", "version", "schema", "config", FILES, SEAL)
#: The key under which a graph names the weights that it was made from.
WEIGHTS_KEY = "weights"


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """What a model is: its settings and the types it knows."""

    config: Config
    schema: Schema

    @property
    def decoding(self) -> Description:
        """What decoding must know of it."""
        return self.config.describe(self.schema)


def read_description(folder: Path) -> ModelDescription:
    """Read what a model folder's config.json says; one that is damaged, foreign or newer is an error."""
    head = read_head(folder)
    _check_own_seal(head, folder)
    return _described(head, folder)


def _described(head: dict[str, Any], folder: Path) -> ModelDescription:
    where = str(folder / CONFIG)
    if head["version"] != VERSION:
        older = head["version"] == 1
        raise DataError(
            f"is a model of version {head['version']}, this program reads version {VERSION}",
            where=where,
            remedy=f"run: biaffinity export --model {folder}" if older else "install a newer biaffinity",
        )
    config = validate(head.get("config", {}), where=where)
    try:
        return ModelDescription(config, Schema.from_dict(_object(head.get("schema"))))
    except BiaffinityError as error:
        raise error.at(where) from None


def _check_own_seal(head: dict[str, Any], folder: Path) -> None:
    """See that config.json is what was sealed, or was never; a key that is damaged is an unknown one."""
    if head["version"] != VERSION:
        return
    unknown = [key for key in head if key not in _KEYS]
    files = head.get(FILES)
    pairs = [*files.items()] if isinstance(files, dict) else [("", None)] * (FILES in head)
    if unknown:
        what = f"is damaged or not of this version: unknown key {unknown[0]!r:.80}"
    elif (FILES in head) != (SEAL in head) or not all(type(checksum) is str for _, checksum in pairs):
        what = "is damaged: its checksums are not whole"
    elif SEAL in head and not is_sound(head):
        what = "is damaged: its checksum is another"
    else:
        return
    remedy = f"copy it again; if you changed it yourself, run: biaffinity verify --seal {folder}"
    raise DataError(what, where=str(folder / CONFIG), remedy=remedy)


def read_head(folder: Path) -> dict[str, Any]:
    """The contents of config.json, whatever its version."""
    if not folder.is_dir():
        raise DataError("no such model folder", where=str(folder), remedy="check the path")
    head: dict[str, Any] = read_json(folder / CONFIG)
    if head.get("format") != FORMAT or type(head.get("version")) is not int:
        raise DataError("is not a Biaffinity model", where=str(folder / CONFIG))
    return head


def read_examples(folder: Path) -> dict[str, str]:
    """Texts to try the model on, by name; none where the folder has no such file."""
    path = folder / EXAMPLES
    if not path.exists():
        return {}
    texts = read_json(path)
    for name, text in texts.items():
        if not isinstance(text, str):
            raise DataError(
                f"{name!r} is no text", where=str(path), remedy='write {"a name": "A text.", ...}'
            )
    return texts


def weights_fingerprint(folder: Path) -> str:
    """A name for a model's very weights, all of them: the checksum of their file."""
    checksum = file_checksum(folder / WEIGHTS)
    if checksum is None:
        raise refused("read", folder / WEIGHTS, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)))
    return checksum


def write_description(folder: Path, config: Config, schema: Schema) -> None:
    """Write config.json, without the checksums that seal a whole model."""
    head = {"format": FORMAT, "version": VERSION, "schema": schema.to_dict(), "config": config.model_dump()}
    with writing(folder / CONFIG) as file:
        json.dump(head, file, indent=2, ensure_ascii=False)


def graph_path(folder: Path, name: str) -> Path:
    """The file of a graph."""
    return folder / f"{name}{GRAPH_SUFFIX}"


def file_patterns(description: ModelDescription) -> list[str]:
    """The files that a model consists of, whatever else lies beside them (a run's history, say)."""
    return [CONFIG, *description.config.encoder.files, WEIGHTS, f"*{GRAPH_SUFFIX}", CARD, ABOUT, EXAMPLES]


def model_files(folder: Path, head: dict[str, Any] | None = None) -> list[Path]:
    """The files of the model in a folder that are there, by what config.json or this ``head`` of it says."""
    patterns = file_patterns(read_description(folder) if head is None else _described(head, folder))
    return [path for pattern in patterns for path in sorted(folder.glob(pattern)) if path.is_file()]


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise DataError("must be a JSON object", where="schema")
    return value
