"""Torch modules as the bytes of ONNX files: traced all at once, parted, stored small."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import onnxscript  # noqa: F401 (torch.onnx needs it, and would miss it late)
import torch
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, checker, helper, numpy_helper
from torch import Tensor, nn
from torch.export import Dim

from biaffinity.graphs.onnx_file import IR_VERSION, OPSET
from biaffinity.layers.onnx_int8 import Int8, with_int8_products
from biaffinity.layers.onnx_lstm import with_onnx_lstms

_RESULT = "result"
_LOGGERS = ("onnxscript", "onnx_ir", "torch.onnx")


@dataclass(frozen=True, slots=True)
class Traced:
    """A module of one result, examples of its arguments by name, and the names of their axes.

    An axis with a name may have any size when the graph is run, the same wherever the name stands; an axis
    without one is as the example has it. ``int8`` names the products that run in whole numbers, if any.
    """

    module: nn.Module
    inputs: Mapping[str, Tensor]
    axes: Mapping[str, tuple[str, ...]]
    int8: Int8 | None = None


def onnx_files(parts: Mapping[str, Traced], notes: Mapping[str, str]) -> dict[str, bytes]:
    """A graph for each module, whose inputs are called as its arguments and whose output is ``result``.

    They are traced in one go, which takes little longer than tracing one, and are of no use afterwards.
    ``notes`` are kept in each file.
    """
    whole = _exported(parts)
    return {name: _file(_part(whole.graph, name, part), notes, part.int8) for name, part in parts.items()}


class _Together(nn.Module):
    """Modules that have nothing to do with each other, as one."""

    def __init__(self, parts: Mapping[str, Traced]) -> None:
        super().__init__()
        self.names = list(parts)
        self.parts = nn.ModuleList(with_onnx_lstms(part.module) for part in parts.values())

    def forward(self, inputs: dict[str, dict[str, Tensor]]) -> tuple[Tensor, ...]:
        return tuple(part(**inputs[name]) for name, part in zip(self.names, self.parts, strict=True))


def _exported(parts: Mapping[str, Traced]) -> ModelProto:
    inputs = {name: dict(part.inputs) for name, part in parts.items()}
    shapes = {name: _shapes(f"part{number}", part) for number, (name, part) in enumerate(parts.items())}
    with torch.no_grad(), _quietly():
        program = torch.onnx.export(
            _Together(parts).eval(),
            kwargs={"inputs": inputs},
            dynamo=True,
            dynamic_shapes={"inputs": shapes},
            input_names=[f"{name}/{key}" for name, own in inputs.items() for key in own],
            output_names=[f"{name}/{_RESULT}" for name in inputs],
            opset_version=OPSET,
            verbose=False,
        )
    assert program is not None
    return program.model_proto


def _shapes(prefix: str, part: Traced) -> dict[str, dict[int, Dim]]:
    names = {name for axes in part.axes.values() for name in axes}
    known = {name: Dim(f"{prefix}_{name}", min=1) for name in sorted(names)}
    return {key: {axis: known[name] for axis, name in enumerate(axes)} for key, axes in part.axes.items()}


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Keep the exporter's talk and its warnings of what is its own affair to itself."""
    levels = {name: logging.getLogger(name).level for name in _LOGGERS}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            for name in levels:
                logging.getLogger(name).setLevel(logging.ERROR)
            yield
        finally:
            for name, level in levels.items():
                logging.getLogger(name).setLevel(level)


def _part(whole: GraphProto, name: str, traced: Traced) -> GraphProto:
    """What of the whole graph leads to one of its outputs, under the names of its own arguments."""
    own = {f"{name}/{key}": key for key in (*traced.inputs, _RESULT)}
    needed = {f"{name}/{_RESULT}"}
    nodes: list[NodeProto] = []
    for node in reversed(whole.node):
        if not needed.isdisjoint(node.output):
            nodes.append(node)
            needed.update(_read_by(node))
    part = helper.make_graph(
        nodes[::-1],
        name,
        [value for value in whole.input if value.name in own],
        [value for value in whole.output if value.name in own],
        [tensor for tensor in whole.initializer if tensor.name in needed],
    )
    _rename(part, own)
    return part


def _read_by(node: NodeProto) -> Iterator[str]:
    """The values that a node reads, those of its subgraphs included."""
    yield from node.input
    for attribute in node.attribute:
        for inner in attribute.g.node if attribute.HasField("g") else ():
            yield from _read_by(inner)


def _rename(graph: GraphProto, names: Mapping[str, str]) -> None:
    for value in (*graph.input, *graph.output):
        value.name = names[value.name]
    for node in graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
        for attribute in node.attribute:
            if attribute.HasField("g"):
                _rename_inner(attribute.g, names)


def _rename_inner(graph: GraphProto, names: Mapping[str, str]) -> None:
    for node in graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]


def _file(graph: GraphProto, notes: Mapping[str, str], int8: Int8 | None) -> bytes:
    _strip(graph)
    if int8 is not None:
        graph = with_int8_products(_model(graph), int8).graph
    _halve(graph)
    model = _model(graph)
    helper.set_model_props(model, dict(notes))
    checker.check_model(model, full_check=True)
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def _model(graph: GraphProto) -> ModelProto:
    return helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="biaffinity",
    )


def _strip(graph: GraphProto) -> None:
    """Drop what only a debugger of the exporter reads: stack traces, paths of this machine among them."""
    for node in graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
        for attribute in node.attribute:
            if attribute.HasField("g"):
                _strip(attribute.g)
    for value in (*graph.value_info, *graph.input, *graph.output, *graph.initializer):
        del value.metadata_props[:]
    del graph.metadata_props[:]


def _halve(graph: GraphProto) -> None:
    """Keep arrays that half precision holds exactly in half precision."""
    casts = []
    for tensor in graph.initializer:
        if tensor.data_type != TensorProto.FLOAT:
            continue
        values = numpy_helper.to_array(tensor)
        with np.errstate(over="ignore"):
            half = values.astype(np.float16)
        if values.size > 1 and np.array_equal(half, values):
            name = tensor.name
            tensor.CopyFrom(numpy_helper.from_array(half, f"{name}.half"))
            casts.append(helper.make_node("Cast", [tensor.name], [name], to=TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
