"""Adds the graphs of a network to its folder, so that it runs without PyTorch.

emissions.onnx    token vectors, lengths (, boundaries) -> the scores of labels
states.onnx       token vectors, lengths, labels (, boundaries) -> the relation classifier's states
pairs.onnx        states, entities, pairs of them -> the scores of relation classes
and those of the encoder, from its arrays to token vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from biaffinity.config.folder import WEIGHTS_KEY, graph_path, weights_fingerprint
from biaffinity.config.seal import seal, unseal
from biaffinity.errors import MissingExtraError
from biaffinity.files import replacing
from biaffinity.model.folder import load_model
from biaffinity.model.joint import BoundaryEmbedding, JointModel
from biaffinity.model.upgrade import upgrade_folder

if TYPE_CHECKING:
    from biaffinity.layers.onnx_int8 import Int8

Axes = dict[str, tuple[str, ...]]


def export(folder: Path) -> list[Path]:
    """Write the graphs of the model in a folder, each whole or not at all; their paths.

    A model of an older version is brought up to date first.
    """
    return write_graphs(folder, graph_contents(folder))


def write_graphs(folder: Path, contents: Mapping[str, bytes]) -> list[Path]:
    """Write graphs by name, each whole or not at all, and seal the folder; their paths."""
    unseal(folder)
    for name, content in contents.items():
        with replacing(graph_path(folder, name)) as neighbour:
            neighbour.write_bytes(content)
    seal(folder)
    return [graph_path(folder, name) for name in contents]


def graph_contents(folder: Path, int8: Int8 | None = None) -> dict[str, bytes]:
    """The graphs of the model in a folder, by name; ``int8`` names what its encoder does in whole numbers."""
    try:
        from biaffinity.layers.onnx_graph import Traced, onnx_files
    except ModuleNotFoundError as error:
        raise MissingExtraError("exporting a model", "train") from error
    upgrade_folder(folder)
    model = load_model(folder)
    parts = {
        "emissions": Traced(_Emissions(model), *_example_tokens(model)),
        "states": Traced(_States(model), *_example_tokens(model, "labels")),
        "pairs": Traced(model.relations.scorer, *_example_pairs(model)),
    }
    encoders = {"encoder": model.encoder, "relation_encoder": model.relation_encoder}
    if model.relation_encoder is model.encoder:
        del encoders["relation_encoder"]
    for name, encoder in encoders.items():
        parts |= {f"{name}.{graph}": Traced(*traced, int8) for graph, traced in encoder.graphs().items()}
    return onnx_files(parts, {WEIGHTS_KEY: weights_fingerprint(folder)})


class _Emissions(nn.Module):
    def __init__(self, model: JointModel) -> None:
        super().__init__()
        self.boundaries = model.boundaries
        self.tagger = model.tagger

    def forward(self, vectors: Tensor, lengths: Tensor, boundaries: Tensor | None = None) -> Tensor:
        emissions: Tensor = self.tagger(_with_boundaries(self.boundaries, vectors, boundaries), lengths)
        return emissions


class _States(nn.Module):
    def __init__(self, model: JointModel) -> None:
        super().__init__()
        self.boundaries = model.relation_boundaries
        self.relations = model.relations

    def forward(
        self, vectors: Tensor, lengths: Tensor, labels: Tensor, boundaries: Tensor | None = None
    ) -> Tensor:
        vectors = _with_boundaries(self.boundaries, vectors, boundaries)
        states: Tensor = self.relations(vectors, labels, lengths)
        return states


def _with_boundaries(embedding: BoundaryEmbedding | None, vectors: Tensor, tags: Tensor | None) -> Tensor:
    if embedding is None or tags is None:
        return vectors
    embedded: Tensor = embedding(vectors, tags)
    return embedded


def _example_tokens(model: JointModel, *more: str) -> tuple[dict[str, Tensor], Axes]:
    """Two sentences, of three tokens at most: what a graph is traced with."""
    by_token = [*more, *(["boundaries"] if model.boundaries is not None else [])]
    inputs = {"vectors": torch.zeros(2, 3, model.encoder.output_size), "lengths": torch.tensor([3, 2])}
    inputs |= {name: torch.zeros(2, 3, dtype=torch.long) for name in by_token}
    axes: Axes = {"vectors": ("batch", "size"), "lengths": ("batch",)}
    axes |= dict.fromkeys(by_token, ("batch", "size"))
    return inputs, axes


def _example_pairs(model: JointModel) -> tuple[dict[str, Tensor], Axes]:
    """Three entities in two sentences and two pairs of them."""
    inputs = {
        "states": torch.zeros(2, 6, model.relations.lstm.output_size),
        "sentence": torch.tensor([0, 0, 1]),
        "start": torch.tensor([0, 4, 1]),
        "end": torch.tensor([1, 5, 3]),
        "head": torch.tensor([0, 1]),
        "tail": torch.tensor([1, 0]),
    }
    axes: Axes = {"states": ("batch", "size")}
    axes |= dict.fromkeys(("sentence", "start", "end"), ("entities",))
    axes |= dict.fromkeys(("head", "tail"), ("pairs",))
    return inputs, axes
