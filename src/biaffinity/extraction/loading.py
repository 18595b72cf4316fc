"""A model by its name: where its folder is, and the network in it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

from biaffinity.config.folder import CONFIG, WEIGHTS, read_description
from biaffinity.config.seal import check_seal
from biaffinity.decoding.network import Network
from biaffinity.errors import DataError, MissingExtraError, UsageError
from biaffinity.hub import download, is_hub_name
from biaffinity.runtime.network import OnnxNetwork

#: The models inside the package, by name, and the one that is meant where none is named.
EMBEDDED = Path(__file__).parent.parent / "models"
DEFAULT_MODEL = "news"
#: What runs a network. ``auto`` is onnxruntime on a CPU, PyTorch on any other device or without graphs.
Runtime = Literal["onnx", "torch", "auto"]


def model_folder(model: str | Path | None, revision: str | None = None) -> Path:
    """Where the files of a model are: a folder here, one inside the package, or one in the hub's cache.

    ``revision`` is that of a model on the hub.
    """
    if not isinstance(model, str | Path | None):
        raise UsageError(f"model must be the path of a folder, not {type(model).__name__}")
    if model is None:
        model = EMBEDDED / DEFAULT_MODEL
        if not model.is_dir():
            raise DataError(
                "the embedded model is not in this installation",
                remedy="make it with: make model; or name a model folder",
            )
    if isinstance(model, str):
        if not Path(model).exists() and is_hub_name(model):
            return download(model, revision)
        if model in (known := embedded_models()) and not _holds_a_model(Path(model)):
            model = known[model]
    if revision is not None:
        raise UsageError(
            f"{str(model)!r:.80} is a folder here: only a model on the hub has revisions",
            remedy="leave the revision out, or name it as on the hub, owner/name",
        )
    return Path(model)


def _holds_a_model(folder: Path) -> bool:
    """Whether a folder has a model or what is left of one; one of texts may have the name of ours."""
    return any((folder / name).exists() for name in (CONFIG, WEIGHTS))


def embedded_models() -> dict[str, Path]:
    """The models that come with the package."""
    return {path.name: path for path in sorted(EMBEDDED.glob("*")) if path.is_dir()}


def device_named(device: str, runtime: str = "auto") -> str:
    """The device that a name means: ``auto`` is a GPU where PyTorch is there and sees one, else the CPU."""
    if device != "auto":
        return device
    if runtime == "onnx":
        return "cpu"
    try:
        import torch
    except ModuleNotFoundError:
        return "cpu"
    return "cuda" if torch.cuda.is_available() else "cpu"


def load_network(folder: Path, runtime: str = "auto", *, device: str = "cpu", threads: int = 1) -> Network:
    """The network of a model folder."""
    if runtime not in get_args(Runtime):
        raise UsageError(f"no runtime {runtime!r:.40}", remedy=f"one of {', '.join(get_args(Runtime))}")
    read_description(folder)  # a folder that is no model is told of before an extra that is missing
    device = device_named(device, runtime)
    if runtime == "auto":
        runtime = "onnx" if device == "cpu" and any(folder.glob("*.onnx")) else "torch"
    if runtime == "torch":
        check_seal(folder, graphs=False)
        return _torch_network(folder, device, threads)
    if device != "cpu":
        raise UsageError(
            f'the runtime "onnx" runs on the cpu, not on {device!r:.40}', remedy='ask for runtime="torch"'
        )
    return OnnxNetwork.load(folder, threads, check_seal(folder, graphs=True))


def _torch_network(folder: Path, device: str, threads: int) -> Network:
    """``threads`` holds for all of PyTorch in this process."""
    try:
        import torch

        from biaffinity.model.device import available_device
        from biaffinity.model.folder import load_model
        from biaffinity.model.network import TorchNetwork
    except ModuleNotFoundError as error:
        raise MissingExtraError("running a model with PyTorch", "train") from error
    torch.set_num_threads(threads)
    return TorchNetwork(load_model(folder, available_device(device)))
