"""The graphs of some layers, exported once per session."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from torch import nn

from layers.exported import NOTES, Graph, loaded, some_layers, traced


@pytest.fixture(scope="session")
def layers() -> dict[str, nn.Module]:
    """Layers by name; not to be changed."""
    return {name: layer.eval() for name, layer in some_layers().items()}


@pytest.fixture(scope="session")
def files(layers: dict[str, nn.Module], made_once: Callable[..., Path]) -> dict[str, bytes]:
    """Their graphs, as bytes."""
    pytest.importorskip("onnx", reason="needs the extra train")
    from biaffinity.layers.onnx_graph import onnx_files

    def make(folder: Path) -> None:
        folder.mkdir()
        for name, content in onnx_files({name: traced(name, layers[name]) for name in layers}, NOTES).items():
            (folder / name).write_bytes(content)

    folder = made_once("layers", make)
    return {name: (folder / name).read_bytes() for name in layers}


@pytest.fixture(scope="session")
def graphs(files: dict[str, bytes]) -> dict[str, Graph]:
    """The same as functions."""
    return {name: loaded(content) for name, content in files.items()}
