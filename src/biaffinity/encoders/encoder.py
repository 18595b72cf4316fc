"""What a model asks of an encoder as a torch module."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from biaffinity.decoding.network import Featuriser

#: A module to be exported, examples of its arguments by name, and the names of their axes.
ExportedGraph = tuple[nn.Module, dict[str, Tensor], dict[str, tuple[str, ...]]]


class Encoder(nn.Module, ABC):
    """Arrays of a featuriser to token vectors of ``output_size``, dropped out in training.

    Its class is found by the type that settings name (`encoders.parts`). Besides what is here it can be
    made in two ways: ``build(settings, train, dev, vectors, dropout=)`` for training data, which also gives
    the coverage of word vectors, if it reads any; ``load(folder, settings, dropout=)`` from a model folder,
    whose weights are filled in with the model's.
    """

    output_size: int

    @abstractmethod
    def forward(self, features: Mapping[str, Tensor]) -> Tensor:
        """-> [batch, size, output_size]."""

    @abstractmethod
    def new_featuriser(self) -> Featuriser:
        """A featuriser for this encoder that has met no token yet."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write all of the encoder but its weights."""

    @abstractmethod
    def twin(self) -> Encoder:
        """Another encoder of the same kind that starts alike: the second network of a pipeline."""

    @abstractmethod
    def graphs(self) -> dict[str, ExportedGraph]:
        """What its runtime without PyTorch runs, by name."""

    @abstractmethod
    def table(self) -> nn.Parameter:
        """The vectors of words or pieces that training changes."""

    def share_tables(self, other: Any) -> None:
        """Let a twin read again what it shares with this one, after both were moved to another device."""

    def pretrained(self) -> Iterable[nn.Parameter]:
        """Weights that were learnt elsewhere, which training changes at a rate of its own."""
        return ()
