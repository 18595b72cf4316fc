"""The graphs of some layers, exported once per session."""

from __future__ import annotations

import pytest
from torch import nn

from layers.exported import NOTES, Graph, loaded, some_layers, traced


@pytest.fixture(scope="session")
def layers() -> dict[str, nn.Module]:
    """Layers by name; not to be changed."""
    return {name: layer.eval() for name, layer in some_layers().items()}


@pytest.fixture(scope="session")
def files(layers: dict[str, nn.Module]) -> dict[str, bytes]:
    """Their graphs, as bytes."""
    pytest.importorskip("onnx", reason="needs the extra train")
    from biaffinity.layers.onnx_graph import onnx_files

    return onnx_files({name: traced(name, layer) for name, layer in layers.items()}, NOTES)


@pytest.fixture(scope="session")
def graphs(files: dict[str, bytes]) -> dict[str, Graph]:
    """The same as functions."""
    return {name: loaded(content) for name, content in files.items()}
