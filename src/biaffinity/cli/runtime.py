"""What the commands that run a trained network have in common."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from biaffinity.errors import MissingExtraError

if TYPE_CHECKING:
    from biaffinity.model.joint import JointModel


def load_trained_model(folder: Path, device: str) -> JointModel:
    """A model folder in PyTorch, on one thread: processes side by side beat threads."""
    try:
        import torch

        from biaffinity.model.device import available_device
        from biaffinity.model.folder import load_model
    except ModuleNotFoundError as error:
        raise MissingExtraError("running a trained model", "train") from error
    torch.set_num_threads(1)
    return load_model(folder, available_device(device))
