"""A model folder run by PyTorch, on a processor or a GPU; needs the extra ``train``."""

from __future__ import annotations

from pathlib import Path

from biaffinity.errors import MissingExtraError
from biaffinity.model.network import Network


def load_torch_network(folder: Path, device: str, threads: int) -> Network:
    """The network of a model folder; ``threads`` holds for all of PyTorch in this process."""
    try:
        import torch

        from biaffinity.model.device import available_device
        from biaffinity.model.folder import load_model
    except ModuleNotFoundError as error:
        raise MissingExtraError("running a model with PyTorch", "train") from error
    torch.set_num_threads(threads)
    return load_model(folder, available_device(device))
