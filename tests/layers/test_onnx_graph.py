"""Exported graphs: what they promise to those who run them, what they hold, and what they do not tell."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

pytest.importorskip("onnx", reason="needs the extra train")

import onnx

from biaffinity.layers.onnx_graph import onnx_files
from layers.exported import NOTES, Graph, some_layers, traced

NAMES = list(some_layers())


def graphs_within(graph: Any) -> Iterator[Any]:
    """A graph and all that its nodes hold."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for inner in (*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])):
                yield from graphs_within(inner)


@pytest.mark.parametrize("name", NAMES)
def test_it_needs_no_newer_runtime_than_was_promised(files: dict[str, bytes], name: str) -> None:
    model = onnx.load_from_string(files[name])
    assert [(part.domain, part.version) for part in model.opset_import] == [("", 18)]
    assert model.ir_version == 8
    assert len(model.functions) == 0


@pytest.mark.parametrize("name", NAMES)
def test_inputs_are_called_as_the_arguments_and_the_output_result(
    files: dict[str, bytes], layers: dict[str, nn.Module], name: str
) -> None:
    graph = onnx.load_from_string(files[name]).graph
    assert [value.name for value in graph.input] == list(traced(name, layers[name]).inputs)
    assert [value.name for value in graph.output] == ["result"]


@pytest.mark.parametrize("name", NAMES)
def test_the_notes_are_all_that_is_noted(files: dict[str, bytes], name: str) -> None:
    model = onnx.load_from_string(files[name])
    assert {entry.key: entry.value for entry in model.metadata_props} == NOTES
    assert (model.doc_string, model.producer_name, model.producer_version) == ("", "biaffinity", "")
    for graph in graphs_within(model.graph):
        values = (*graph.value_info, *graph.input, *graph.output, *graph.initializer)
        for part in (graph, *graph.node, *values):
            assert not part.metadata_props
            assert not part.doc_string


def test_branches_are_looked_into(files: dict[str, bytes]) -> None:
    """The test above would say nothing of them if there were none."""
    assert len(list(graphs_within(onnx.load_from_string(files["ranges"]).graph))) == 3


@pytest.mark.parametrize("name", NAMES)
def test_it_holds_no_path_of_this_machine(files: dict[str, bytes], name: str) -> None:
    here = Path(__file__).resolve()
    paths = {
        str(here.parent),
        str(Path(torch.__file__).parent),
        sys.prefix,
        str(Path.cwd()),
        str(Path.home()),
    }
    for part in (*(path.encode() for path in paths if path != "/"), b".py", b"site-packages", b"Traceback"):
        assert part not in files[name]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("ranges", "one character LSTM")])
def test_it_holds_the_weights_of_its_own_layer_and_no_others(
    files: dict[str, bytes], layers: dict[str, nn.Module], name: str
) -> None:
    graph = onnx.load_from_string(files[name]).graph
    arrays = [onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer]
    numbers = sum(array.size for array in arrays if np.issubdtype(array.dtype, np.floating))
    assert numbers == sum(parameter.numel() for parameter in layers[name].parameters())


def test_the_same_weights_give_the_same_bytes() -> None:
    names = ("lstm", "half")
    first, second = (
        onnx_files({name: traced(name, some_layers()[name]) for name in names}, NOTES) for _ in range(2)
    )
    assert first == second


def test_weights_that_half_precision_holds_take_half_the_room(files: dict[str, bytes]) -> None:
    weights = 4 * 51 * 40
    assert weights < len(files["single"]) < weights + 1000
    assert weights / 2 < len(files["half"]) < weights / 2 + 1000


@pytest.mark.parametrize("name", ["single", "half"])
def test_no_weight_loses_anything(layers: dict[str, nn.Module], graphs: dict[str, Graph], name: str) -> None:
    inputs = torch.randn(3, 50, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        expected = layers[name](inputs)
    found = torch.from_numpy(graphs[name](input=inputs))
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)


def test_an_export_is_quiet_and_leaves_logging_as_it_was(capfd: pytest.CaptureFixture[str]) -> None:
    logger = logging.getLogger("onnxscript")
    before = logger.level
    logger.setLevel(logging.INFO)
    try:
        onnx_files({"single": traced("single", nn.Linear(50, 2))}, {})
        assert logger.level == logging.INFO
    finally:
        logger.setLevel(before)
    assert capfd.readouterr() == ("", "")
