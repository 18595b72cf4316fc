"""A model is a folder: config.json, vocabulary.json, model.safetensors, README.md. No code in it.

Reading one never runs anything from it; a folder that is damaged, foreign or newer than this
program gives one clear error.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from biaffinity.errors import DataError
from biaffinity.files import replacing, writing
from biaffinity.model.description import FORMAT, VERSION, WEIGHTS, read_description
from biaffinity.model.joint import JointModel


def save_model(model: JointModel, folder: Path) -> None:
    """Write a model; the weights go last, so a folder with weights is whole."""
    save_description(model, folder)
    save_weights(model, folder)


def save_description(model: JointModel, folder: Path) -> None:
    """Write all of a model but its weights."""
    with writing(folder / "config.json") as file:
        head = {"format": FORMAT, "version": VERSION, "word_size": model.word_size}
        json.dump({**head, "config": model.config.model_dump()}, file, indent=2)
    with writing(folder / "vocabulary.json") as file:
        json.dump(model.vocabulary.to_dict(), file, ensure_ascii=False)


def save_weights(model: JointModel, folder: Path, epoch: int = 0) -> None:
    """Write the weights into a folder that has the rest, with the epoch they are from."""
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in owned_tensors(model).items()}
    save_tensors(folder / WEIGHTS, tensors, {"format": FORMAT, "epoch": str(epoch)})


def load_model(folder: Path, device: str | torch.device = "cpu") -> JointModel:
    """Read a model folder."""
    known = read_description(folder)
    unseen = torch.zeros(len(known.vocabulary.unseen), known.word_size, dtype=torch.float16)
    model = JointModel(known.config, known.vocabulary, known.word_size, unseen)
    load_weights(model, folder)
    return model.to(device).eval()


def load_weights(model: JointModel, folder: Path) -> int:
    """Fill a model with the weights of a folder; the epoch they are from."""
    path = folder / WEIGHTS
    tensors, metadata = load_tensors(path)
    _fill(owned_tensors(model), tensors, path)
    try:
        return int(metadata.get("epoch", 0))
    except ValueError:
        raise DataError(f"is of no epoch: {metadata['epoch']!r}", where=str(path)) from None


def owned_tensors(model: torch.nn.Module) -> dict[str, Tensor]:
    """The tensors to be kept, each under one name even where parts of the model share it."""
    owned: dict[str, Tensor] = {}
    seen: set[tuple[int, int]] = set()
    for name, tensor in model.state_dict().items():
        key = (tensor.data_ptr(), tensor.numel())
        if tensor.numel() == 0 or key not in seen:
            owned[name] = tensor
        seen.add(key)
    return owned


def _fill(targets: dict[str, Tensor], tensors: dict[str, Tensor], path: Path) -> None:
    """Copy tensors into those of the same names; any difference in names or shapes is an error."""
    for name in targets.keys() ^ tensors.keys():
        fault = f"lacks the tensor {name}" if name in targets else f"has a tensor too many: {name}"
        raise DataError(fault, where=str(path), remedy="weights and config.json are not of one model")
    with torch.no_grad():
        for name, target in targets.items():
            if target.shape != tensors[name].shape:
                raise DataError(
                    f"tensor {name} is {list(tensors[name].shape)}, the config wants {list(target.shape)}",
                    where=str(path),
                )
            if not tensors[name].is_floating_point():
                raise DataError(
                    f"is damaged: tensor {name} holds {tensors[name].dtype}, not floating-point numbers",
                    where=str(path),
                    remedy="copy or train it again",
                )
            target.copy_(tensors[name])


def save_tensors(path: Path, tensors: dict[str, Tensor], metadata: dict[str, str]) -> None:
    """Write a safetensors file, whole or not at all."""
    try:
        with replacing(path) as neighbour:
            save_file(tensors, neighbour, metadata)
    except SafetensorError as error:  # a full disk, among others
        raise DataError(f"cannot be written: {error}", where=str(path)) from error


def load_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors of a safetensors file and its metadata."""
    if not path.is_file():
        raise DataError("no such file", where=str(path), remedy="the folder is not a finished model")
    try:
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, dict(file.metadata() or {})  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise DataError(f"is damaged: {error}", where=str(path), remedy="copy or train it again") from error
