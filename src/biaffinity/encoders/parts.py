"""The parts of an encoder, by the type that its settings name; each is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from biaffinity.annotation import Sentence
from biaffinity.decoding.arrays import Array, Floats
from biaffinity.decoding.network import Batch, Featuriser
from biaffinity.encoders import EncoderSettings
from biaffinity.encoders.recurrent.rows import Rows
from biaffinity.encoders.recurrent.vectors import Coverage, WordVectors
from biaffinity.errors import MissingExtraError
from biaffinity.graphs.judge import Signature

if TYPE_CHECKING:
    from biaffinity.encoders.encoder import Encoder

#: A graph of one result as a function of its inputs by name.
Graph = Callable[[Mapping[str, Array]], Floats]


class ModelParts(Protocol):
    """What an encoder without PyTorch finds in a model folder."""

    @property
    def folder(self) -> Path:
        """The model folder."""

    def tensor(self, name: str, *shape: int) -> Floats:
        """A tensor of the weights in single precision; another shape is an error."""

    def rows(self, name: str, count: int, size: int) -> Rows:
        """A tensor of rows, in the precision it is kept in."""

    def require(self, name: str, *shape: int) -> None:
        """See that the weights have a tensor of this shape."""

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """The shapes of all tensors, by name."""

    def graph(self, name: str, signature: Signature) -> Graph:
        """``NAME.onnx``, if it is as its signature says."""


class EncoderRuntime(Protocol):
    """An encoder without PyTorch."""

    @property
    def width(self) -> int:
        """Of token vectors."""

    def new_featuriser(self) -> Featuriser:
        """A featuriser that has met no token yet."""

    def __call__(self, batch: Batch) -> Floats:
        """Token vectors, [batch, size, width]."""


def build_encoder(
    settings: EncoderSettings,
    train: Sequence[Sentence],
    dev: Sequence[Sentence],
    vectors: WordVectors | None,
    *,
    dropout: float,
) -> tuple[Encoder, Coverage | None]:
    """An encoder for some training data, and how many of its words have vectors, if it reads any."""
    built: tuple[Encoder, Coverage | None] = _part(settings, "encoder").build(
        settings, train, dev, vectors, dropout=dropout
    )
    return built


def load_encoder(folder: Path, settings: EncoderSettings, *, dropout: float) -> Encoder:
    """The encoder of a model folder; its weights are filled in with the model's."""
    encoder: Encoder = _part(settings, "encoder").load(folder, settings, dropout=dropout)
    return encoder


def load_runtime(parts: ModelParts, name: str, settings: EncoderSettings) -> EncoderRuntime:
    """The encoder whose tensors and graphs are called ``name``, without PyTorch."""
    runtime: EncoderRuntime = _part(settings, "runtime")(parts, name, settings)
    return runtime


def _part(settings: EncoderSettings, module: str) -> Any:
    """A class such as ``RecurrentRuntime`` of the module ``encoders.recurrent.runtime``."""
    try:
        package = import_module(f"biaffinity.encoders.{settings.type}.{module}")
    except ModuleNotFoundError as error:
        if error.name != "tokenizers":
            raise
        raise MissingExtraError(f"a {settings.type} encoder", "transformers") from error
    return getattr(package, f"{settings.type.capitalize()}{module.capitalize()}")
