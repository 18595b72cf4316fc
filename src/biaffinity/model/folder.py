"""A model in its folder: written, and read back. Reading it never runs anything from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from biaffinity.config.folder import FORMAT, WEIGHTS, read_description, write_description
from biaffinity.config.seal import seal, unseal
from biaffinity.encoders.parts import load_encoder
from biaffinity.encoders.recurrent.rows import SCALES, in_whole_numbers
from biaffinity.errors import DataError
from biaffinity.files import replacing
from biaffinity.model.bounded import NoLargerThan
from biaffinity.model.joint import JointModel

#: How the names of tensors end that hold rows of words.
TABLES = (".words.trained", ".words.unseen")


def save_model(model: JointModel, folder: Path) -> None:
    """Write a model; its seal goes last, so that a folder that has one is whole."""
    save_description(model, folder)
    save_weights(owned_tensors(model), folder)
    seal(folder)


def save_description(model: JointModel, folder: Path) -> None:
    """Write all of a model but its weights."""
    write_description(folder, model.config, model.schema)
    model.encoder.save(folder)


def save_weights(
    weights: Mapping[str, Tensor],
    folder: Path,
    notes: Mapping[str, str] | None = None,
    *,
    precision: Literal["single", "half", "int8"] = "single",
) -> None:
    """Write weights into a folder that has the rest of a model, with notes of where they come from.

    ``"int8"`` keeps rows of words as whole numbers with a scale each, all else in half precision.
    """
    unseal(folder)
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}
    if precision != "single":
        tensors = {name: tensor.half() for name, tensor in tensors.items()}
    if precision == "int8":
        for name in [name for name in tensors if name.endswith(TABLES)]:
            kept = in_whole_numbers(weights[name].detach().cpu().numpy())
            tensors[name] = torch.from_numpy(kept.numbers)
            tensors[name + SCALES] = torch.from_numpy(kept.scales)
    save_tensors(folder / WEIGHTS, tensors, {"format": FORMAT, **(notes or {})})


def load_model(folder: Path, device: str | torch.device = "cpu") -> JointModel:
    """Read a model folder. A network that is larger than its weights is not made."""
    known = read_description(folder)
    with NoLargerThan(tensor_shapes(folder / WEIGHTS), folder) as most:
        most.check_layers(known.config.model.lstm_layers)
        encoder = load_encoder(folder, known.config.encoder, dropout=known.config.model.dropout)
        model = JointModel(known.config, known.schema, encoder)
    load_weights(model, folder)
    return model.to(device).eval()


def load_weights(model: JointModel, folder: Path) -> dict[str, str]:
    """Fill a model with the weights of a folder; the notes that came with them."""
    path = folder / WEIGHTS
    tensors, notes = load_tensors(path)
    _fill(owned_tensors(model), _unscaled(tensors), path)
    return notes


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


def copied(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Tensors as they are now, whatever training makes of them."""
    return {name: tensor.detach().clone() for name, tensor in tensors.items()}


def _unscaled(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rows that are kept as whole numbers times their scales; all others as they are."""
    kept = {name: tensor for name, tensor in tensors.items() if not name.endswith(SCALES)}
    for name in [name for name in kept if name + SCALES in tensors]:
        numbers, scales = kept[name], tensors[name + SCALES]
        if numbers.dtype == torch.int8 and scales.is_floating_point() and scales.shape == numbers.shape[:1]:
            kept[name] = numbers.float() * scales.float().unsqueeze(1)
    return kept


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


def tensor_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The shapes of the tensors of a safetensors file, which is not read any further."""
    with _opened(path) as file:
        return {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118


def load_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors of a safetensors file and its metadata."""
    with _opened(path) as file:
        return {name: file.get_tensor(name) for name in file.keys()}, dict(file.metadata() or {})  # noqa: SIM118


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    if not path.is_file():
        raise DataError("no such file", where=str(path), remedy="the folder is not a finished model")
    try:
        with safe_open(path, framework="pt") as file:
            yield file
    except (SafetensorError, OSError) as error:
        raise DataError(f"is damaged: {error}", where=str(path), remedy="copy or train it again") from error
