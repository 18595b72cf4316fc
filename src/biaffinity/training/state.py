"""Where a run goes on, kept so that damage is found: the last checkpoint and the one before it.

A checkpoint has the checksum of its own tensors, that of the weights of the best epoch so far, and the
history. So whichever of these files is damaged is known, and what can be had elsewhere is taken from there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from biaffinity.checksums import file_checksum
from biaffinity.config.folder import WEIGHTS
from biaffinity.errors import BiaffinityWarning, DataError
from biaffinity.model.folder import load_tensors, save_tensors

CHECKPOINT = "checkpoint.safetensors"
PREVIOUS = "checkpoint.previous.safetensors"
#: The key under which weights say what calibration they have.
CALIBRATED = "calibration"
_STATE, _WEIGHTS, _HISTORY = "state_sha256", "weights_sha256", "history"

State = tuple[dict[str, Tensor], dict[str, str]]
History = list[dict[str, Any]]


def keep_state(folder: Path, state: State, history: History) -> None:
    """Write a checkpoint; the last one becomes the one before."""
    tensors, notes = state
    notes = {**notes, _WEIGHTS: file_checksum(folder / WEIGHTS) or "", _HISTORY: json.dumps(history)}
    if (folder / CHECKPOINT).exists():
        with contextlib.suppress(OSError):  # a file system without links: then there is no one before
            (folder / PREVIOUS).unlink(missing_ok=True)
            (folder / PREVIOUS).hardlink_to(folder / CHECKPOINT)
    save_tensors(folder / CHECKPOINT, tensors, {**notes, _STATE: _checksum(tensors, notes)})


def has_state(folder: Path) -> bool:
    """Whether there is a checkpoint to go on from."""
    return any((folder / name).exists() for name in (CHECKPOINT, PREVIOUS))


def read_state(folder: Path) -> tuple[State, History]:
    """The newest checkpoint that is sound, with the history up to it."""
    paths = [folder / name for name in (CHECKPOINT, PREVIOUS) if (folder / name).exists()]
    try:
        return _read(paths[0])
    except DataError as damage:
        if len(paths) == 1:
            raise
        found = _read(paths[1])
        note = f"{damage.where} {damage.what}; going on from the checkpoint before, which ends the same"
        warnings.warn(note, BiaffinityWarning, stacklevel=2)
        return found


def check_weights(folder: Path, state: State, epoch: int) -> None:
    """See that the best epoch's weights are those that a checkpoint after ``epoch`` was made beside.

    A kill may have left those of a later epoch, which is then done again, or those of the best epoch after
    their calibration.
    """
    path, known = folder / WEIGHTS, state[1].get(_WEIGHTS)
    if known is None or file_checksum(path) == (known or None):
        return
    try:
        notes = load_tensors(path)[1]
        expected = CALIBRATED in notes or int(notes.get("epoch", 0)) > epoch
    except (DataError, ValueError):
        expected = False
    if not expected:
        raise DataError(
            "is damaged: its checksum is another, and the weights of the best epoch are nowhere else",
            where=str(path),
            remedy=_again(folder),
        )


def remove_state(folder: Path) -> None:
    """There is nothing to go on with."""
    for name in (PREVIOUS, CHECKPOINT):
        (folder / name).unlink(missing_ok=True)


def _read(path: Path) -> tuple[State, History]:
    remedy = _again(path.parent)
    try:
        tensors, notes = load_tensors(path)
    except DataError as error:
        raise DataError(error.what, where=str(path), remedy=remedy) from error
    checksum = notes.pop(_STATE, None)
    if checksum is not None and checksum != _checksum(tensors, notes):
        raise DataError("is damaged: its checksum is another", where=str(path), remedy=remedy)
    try:
        history = json.loads(notes.pop(_HISTORY, "[]"))
    except ValueError as error:
        raise DataError(f"is damaged: {error}", where=str(path), remedy=remedy) from error
    return (tensors, notes), history


def _again(folder: Path) -> str:
    there = [name for name in (CHECKPOINT, PREVIOUS) if (folder / name).exists()]
    return f"delete {' and '.join(there)}, then --resume starts again from the first epoch"


def _checksum(tensors: Mapping[str, Tensor], notes: Mapping[str, str]) -> str:
    digest = hashlib.sha256()
    for name, text in sorted(notes.items()):
        digest.update(json.dumps([name, text]).encode())
    for name in sorted(tensors):
        tensor = tensors[name].detach().cpu().contiguous()
        digest.update(json.dumps([name, str(tensor.dtype), list(tensor.shape)]).encode())
        for piece in _bytes(tensor):
            digest.update(piece)
    return digest.hexdigest()


def _bytes(tensor: Tensor) -> Iterable[Any]:
    if tensor.numel():
        import torch

        yield np.ascontiguousarray(tensor.reshape(-1).view(torch.uint8).numpy()).data
