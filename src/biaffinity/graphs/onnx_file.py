"""What an ONNX file holds, as far as our own exports use the format; anything beyond is refused."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from typing import Any

from biaffinity.graphs.wire import Field, GraphError, Message, Reader

#: What our exports are written as: the version of the operators, and of the file format. onnxruntime reads
#: both from 1.17 on.
OPSET, IR_VERSION = 18, 8

FLOAT, UINT8, INT8, INT32, INT64, BOOL, HALF = 1, 2, 3, 6, 7, 9, 10
#: The types of elements, with the bytes of each.
TYPES = {FLOAT: 4, UINT8: 1, INT8: 1, INT32: 4, INT64: 8, BOOL: 1, HALF: 2}
#: Types of whole numbers, whose values may become sizes; and how to read them.
_WHOLE = {INT32: "i", INT64: "q"}
#: Whole numbers that are looked at, of one tensor: those of shapes are few.
MOST_VALUES = 64
#: Graphs within graphs: the branches of an If.
_DEEPEST = 1
_LONGEST_NAME = 1000

_ENTRY = Message("StringStringEntryProto", {1: Field("key", "text"), 2: Field("value", "text")})
_OPSET = Message("OperatorSetIdProto", {1: Field("domain", "text"), 2: Field("version", "whole")})
_DIMENSION = Message("Dimension", {1: Field("size", "whole"), 2: Field("name", "text")})
_SHAPE = Message("TensorShapeProto", {1: Field("dimensions", _DIMENSION, many=True)})
_TENSOR_TYPE = Message("TypeProto.Tensor", {1: Field("type", "whole"), 2: Field("shape", _SHAPE)})
_TYPE = Message("TypeProto", {1: Field("tensor", _TENSOR_TYPE)})
_VALUE = Message("ValueInfoProto", {1: Field("name", "text"), 2: Field("type", _TYPE)})
_TENSOR = Message(
    "TensorProto",
    {
        1: Field("dims", "whole", many=True),
        2: Field("type", "whole"),
        4: Field("floats", "float", many=True),
        5: Field("small", "whole", many=True),
        7: Field("large", "whole", many=True),
        8: Field("name", "text"),
        9: Field("raw", "bytes"),
        13: Field("elsewhere", "bytes", many=True),
        14: Field("location", "whole"),
    },
)
_ATTRIBUTE = Message(
    "AttributeProto",
    {
        1: Field("name", "text"),
        2: Field("float", "float"),
        3: Field("whole", "whole"),
        4: Field("text", "text"),
        5: Field("tensor", _TENSOR),
        8: Field("wholes", "whole", many=True),
        20: Field("kind", "whole"),
    },
)
_NODE = Message(
    "NodeProto",
    {
        1: Field("inputs", "text", many=True),
        2: Field("outputs", "text", many=True),
        3: Field("name", "text"),
        4: Field("operator", "text"),
        5: Field("attributes", _ATTRIBUTE, many=True),
        6: Field("remark", "text"),
        7: Field("domain", "text"),
    },
)
_GRAPH = Message(
    "GraphProto",
    {
        1: Field("nodes", _NODE, many=True),
        2: Field("name", "text"),
        5: Field("tensors", _TENSOR, many=True),
        11: Field("inputs", _VALUE, many=True),
        12: Field("outputs", _VALUE, many=True),
        13: Field("values", _VALUE, many=True),
    },
)
_ATTRIBUTE.fields[6] = Field("graph", _GRAPH)
_MODEL = Message(
    "ModelProto",
    {
        1: Field("ir_version", "whole"),
        2: Field("producer", "text"),
        7: Field("graph", _GRAPH),
        8: Field("opsets", _OPSET, many=True),
        14: Field("notes", _ENTRY, many=True),
    },
)
#: What an attribute is by its number, and the field that has it.
_KINDS = {1: "float", 2: "whole", 3: "text", 4: "tensor", 5: "graph", 7: "wholes"}


@dataclass(frozen=True, slots=True)
class Tensor:
    """Numbers in a file: their type, their shape and, of few whole numbers, what they are."""

    type: int
    shape: tuple[int, ...]
    values: tuple[int, ...] | None

    @property
    def count(self) -> int:
        """How many they are."""
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class Value:
    """An input or output of a graph: its type, and its axes, whose sizes are numbers or have names."""

    name: str
    type: int
    axes: tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """An operator, what it reads and what its results are called."""

    operator: str
    inputs: list[str]
    outputs: list[str]
    attributes: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes in an order in which they can be run, and the tensors that they read."""

    nodes: list[Node]
    tensors: dict[str, Tensor]
    inputs: list[Value]
    outputs: list[Value]


@dataclass(frozen=True, slots=True)
class OnnxFile:
    """A graph, and the notes in its file."""

    graph: Graph
    notes: dict[str, str] = field(default_factory=dict)


def read_onnx(content: memoryview) -> OnnxFile:
    """What the bytes of a file hold; anything that our exports have no use for is an error."""
    model = Reader(content).read(_MODEL)
    if model.get("ir_version") != IR_VERSION:
        raise GraphError(f"is ONNX of version {model.get('ir_version')}, not {IR_VERSION}")
    if model["opsets"] != [{"version": OPSET}] and model["opsets"] != [{"domain": "", "version": OPSET}]:
        raise GraphError(f"its operators are not those of version {OPSET}")
    if "graph" not in model:
        raise GraphError("holds no graph")
    notes = [(entry.get("key", ""), entry.get("value", "")) for entry in model["notes"]]
    if len(dict(notes)) < len(notes):
        raise GraphError("has two notes of one name")
    return OnnxFile(_graph(model["graph"], 0), dict(notes))


def _graph(found: dict[str, Any], depth: int) -> Graph:
    if depth > _DEEPEST:
        raise GraphError("has graphs within graphs within graphs")
    tensors: dict[str, Tensor] = {}
    for tensor in found["tensors"]:
        name = _name(tensor, "a tensor")
        if name in tensors:
            raise GraphError(f"has two tensors {name:.80}")
        tensors[name] = _tensor(tensor, name)
    nodes = [_node(node, depth) for node in found["nodes"]]
    inputs, outputs = ([_value(value) for value in found[side]] for side in ("inputs", "outputs"))
    return Graph(nodes, tensors, inputs, outputs)


def _node(found: dict[str, Any], depth: int) -> Node:
    if found.get("domain"):
        raise GraphError(f"operators of {found['domain']:.80} are not allowed")
    attributes: dict[str, Any] = {}
    for attribute in found["attributes"]:
        name = _name(attribute, "an attribute")
        kind = _KINDS.get(attribute.get("kind", 0))
        if kind is None or name in attributes:
            raise GraphError(f"attribute {name:.80} is not as it should be")
        others = attribute.keys() - {"name", "kind", kind}
        if any(attribute[other] for other in others):
            raise GraphError(f"attribute {name:.80} holds more than one thing")
        attributes[name] = _attribute(kind, attribute, name, depth)
    return Node(_name(found, "a node", "operator"), found["inputs"], found["outputs"], attributes)


def _attribute(kind: str, found: dict[str, Any], name: str, depth: int) -> Any:
    value = found.get(kind, {"whole": 0, "text": ""}.get(kind))
    if value is None:
        raise GraphError(f"attribute {name:.80} holds nothing")
    if kind == "graph":
        return _graph(value, depth + 1)
    if kind == "float":
        return struct.unpack("<f", value)[0]
    return _tensor(value, name) if kind == "tensor" else value


def _tensor(found: dict[str, Any], name: str) -> Tensor:
    """Its numbers must be in the file, just as many as its shape says."""
    kind, dims = found.get("type", 0), tuple(found["dims"])
    if found["elsewhere"] or found.get("location"):
        raise GraphError(f"tensor {name:.80} has its numbers in another file, which is not allowed")
    if kind not in TYPES:
        raise GraphError(f"tensor {name:.80} has elements of type {kind}, which is not allowed")
    if len(dims) > 8 or any(size < 0 for size in dims):
        raise GraphError(f"tensor {name:.80} has no shape")
    count = math.prod(dims)
    raw, floats = found.get("raw"), sum(len(piece) for piece in found["floats"])
    held = [*([len(raw) // TYPES[kind]] if raw else []), *([floats // 4] if floats else [])]
    held += [len(found[key]) for key in ("small", "large") if found[key]]
    if (held or [0]) != [count] or (raw and len(raw) != count * TYPES[kind]) or floats % 4:
        raise GraphError(f"tensor {name:.80} does not hold the numbers that its shape asks for")
    values = None
    if kind in _WHOLE and count <= MOST_VALUES:
        values = tuple(found["small"] or found["large"])
        if raw:
            values = struct.unpack(f"<{count}{_WHOLE[kind]}", raw)
    return Tensor(kind, dims, values)


def _value(found: dict[str, Any]) -> Value:
    name = _name(found, "an input or output")
    tensor = found.get("type", {}).get("tensor", {})
    if tensor.get("type") not in TYPES or "shape" not in tensor:
        raise GraphError(f"{name:.80} has no type or shape")
    axes = [axis.get("size", axis.get("name", "")) for axis in tensor["shape"]["dimensions"]]
    return Value(name, tensor["type"], tuple(axes))


def _name(found: dict[str, Any], what: str, key: str = "name") -> str:
    name = found.get(key)
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME:
        raise GraphError(f"{what} has no name, or too long a one")
    return name
