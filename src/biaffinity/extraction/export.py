"""Adds ``model.onnx`` to a model folder; from its files alone, without PyTorch."""

from __future__ import annotations

from pathlib import Path

from biaffinity.errors import MissingExtraError
from biaffinity.extraction.onnx_network import GRAPH
from biaffinity.extraction.weights import Weights
from biaffinity.files import replacing
from biaffinity.model.description import read_description


def export(folder: Path) -> Path:
    """Write ``model.onnx`` into a model folder, whole or not at all; its path."""
    try:
        from biaffinity.extraction.graph import build_graph
    except ModuleNotFoundError as error:
        raise MissingExtraError("writing model.onnx", "export") from error
    graph = build_graph(read_description(folder), Weights.read(folder))
    path = folder / GRAPH
    with replacing(path) as neighbour:
        neighbour.write_bytes(graph)
    return path
