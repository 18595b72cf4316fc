"""Graphs that would do harm: each is a change to a sound one, which keeps its inputs, result and notes.

Used by the tests and by ``benchmarks/attack_models.py``.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from onnx import GraphProto, ModelProto, TensorProto, helper, numpy_helper

Change = Callable[[ModelProto], None]


def _whole(model: ModelProto, name: str, *numbers: int, scalar: bool = False) -> str:
    array = np.array(numbers[0] if scalar else numbers, dtype=np.int64)
    model.graph.initializer.append(numpy_helper.from_array(array, name))
    return name


def _first_float(model: ModelProto) -> str:
    return next(value.name for value in model.graph.input if value.type.tensor_type.elem_type == 1)


def _put(model: ModelProto, operator: str, inputs: Sequence[str], name: str, **attributes: Any) -> str:
    """A node before the last one; its result."""
    node = helper.make_node(operator, inputs, [name], **attributes)
    model.graph.node.insert(len(model.graph.node) - 1, node)
    return name


def _mix_in(model: ModelProto, name: str) -> None:
    """Let the result depend on an array, so that nothing leaves it out."""
    last = model.graph.node[-1]
    old = last.output[0]
    last.output[0] = "before"
    small = helper.make_node("ReduceMax", [name], ["small"], keepdims=0)
    scaled = helper.make_node("Cast", ["small"], ["scaled"], to=1)
    model.graph.node.extend([small, scaled, helper.make_node("Add", ["before", "scaled"], [old])])


def _large(operator: str, *shape: int) -> Change:
    def change(model: ModelProto) -> None:
        target = _whole(model, "large.shape", *shape)
        if operator == "Expand":
            inputs = [_whole(model, "large.value", 1), target]
        elif operator == "Range":
            numbers = (("start", 0), ("limit", shape[0]), ("step", 1))
            inputs = [_whole(model, f"large.{part}", number, scalar=True) for part, number in numbers]
        else:
            inputs = [target]
        _mix_in(model, _put(model, operator, inputs, "large"))

    return change


def _doubled(times: int) -> Change:
    def change(model: ModelProto) -> None:
        name = _put(model, "Reshape", [_first_float(model), _whole(model, "flat", -1)], "doubled.0")
        for number in range(times):
            name = _put(model, "Concat", [name, name], f"doubled.{number + 1}", axis=0)
        _mix_in(model, name)

    return change


def _outer(model: ModelProto) -> None:
    source = _first_float(model)
    column = _put(model, "Reshape", [source, _whole(model, "column.shape", -1, 1)], "column")
    row = _put(model, "Reshape", [source, _whole(model, "row.shape", 1, -1)], "row")
    _mix_in(model, _put(model, "MatMul", [column, row], "outer"))


def _laid_over(model: ModelProto) -> None:
    source = _first_float(model)
    column = _put(model, "Reshape", [source, _whole(model, "column.shape", -1, 1)], "column")
    row = _put(model, "Reshape", [source, _whole(model, "row.shape", 1, -1)], "row")
    _mix_in(model, _put(model, "Add", [column, row], "outer"))


def _of_values(model: ModelProto) -> None:
    """As large as what an input holds."""
    integer = next(value.name for value in model.graph.input if value.type.tensor_type.elem_type == 7)
    most = _put(model, "ReduceMax", [integer], "most", keepdims=0)
    many = _put(model, "Mul", [most, _whole(model, "many", 1 << 28, scalar=True)], "times")
    shape = _put(model, "Reshape", [many, _whole(model, "one", 1)], "most.shape")
    _mix_in(model, _put(model, "ConstantOfShape", [shape], "large"))


def _for_one_size(model: ModelProto) -> None:
    """Large only if an axis has one size."""
    shape = _put(model, "Shape", [_first_float(model)], "own.shape")
    size = _put(model, "Gather", [shape, _whole(model, "second", 1)], "own.size")
    is_it = _put(model, "Equal", [size, _whole(model, "seven", 7)], "is.seven")
    number = _put(model, "Cast", [is_it], "is.number", to=7)
    many = _put(model, "Mul", [number, _whole(model, "many", 1 << 30)], "times")
    _mix_in(model, _put(model, "ConstantOfShape", [many], "large"))


def _loop(model: ModelProto) -> None:
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["cond.in"], ["cond.out"]),
            helper.make_node("Add", ["sum.in", "sum.in"], ["sum.out"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("step", 7, []),
            helper.make_tensor_value_info("cond.in", 9, []),
            helper.make_tensor_value_info("sum.in", 1, []),
        ],
        [
            helper.make_tensor_value_info("cond.out", 9, []),
            helper.make_tensor_value_info("sum.out", 1, []),
        ],
    )
    _whole(model, "endless", 1 << 62, scalar=True)
    for name, array in (("true", np.array(True)), ("nought", np.array(0, dtype=np.float32))):
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    _mix_in(model, _put(model, "Loop", ["endless", "true", "nought"], "looped", body=body))


def _elsewhere(path: str) -> Change:
    """An initializer whose numbers are the contents of another file."""

    def change(model: ModelProto) -> None:
        tensor = TensorProto(name="elsewhere", data_type=2, dims=[16], data_location=1)
        for key, value in (("location", path), ("length", "16"), ("offset", "0")):
            tensor.external_data.add(key=key, value=value)
        model.graph.initializer.append(tensor)
        _mix_in(model, _put(model, "Cast", ["elsewhere"], "read", to=1))

    return change


def _sparse(model: ModelProto) -> None:
    values = helper.make_tensor("sparse", 1, [1], [1.0])
    places = helper.make_tensor("places", 7, [1], [0])
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(values, places, [1 << 32]))


def _function(model: ModelProto) -> None:
    model.functions.append(
        helper.make_function("own", "F", ["x"], ["y"], [helper.make_node("Identity", ["x"], ["y"])], [])
    )


def _other_domain(model: ModelProto) -> None:
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    _mix_in(model, _put(model, "FastGelu", [_first_float(model)], "gelu", domain="com.microsoft"))


def _nested(model: ModelProto) -> None:
    """Branches within branches within branches."""
    model.graph.initializer.append(numpy_helper.from_array(np.array(True), "true"))
    inner: GraphProto | None = None
    for level in range(40):
        name = f"level.{level}"
        value = helper.make_tensor_value_info(name, 1, None)
        if inner is None:
            node = helper.make_node("Identity", [_first_float(model)], [name])
        else:
            node = helper.make_node("If", ["true"], [name], then_branch=inner, else_branch=inner)
        inner = helper.make_graph([node], name, [], [value])
        if level > 12:
            break
    _mix_in(model, _put(model, "If", ["true"], "nested", then_branch=inner, else_branch=inner))


def _many_nodes(model: ModelProto) -> None:
    names = [_first_float(model), *(f"node.{number}" for number in range(30_000))]
    last = model.graph.node.pop()
    model.graph.node.extend(helper.make_node("Exp", [one], [two]) for one, two in pairwise(names))
    model.graph.node.append(last)
    _mix_in(model, names[-1])


def _much_work(model: ModelProto) -> None:
    """Small arrays, each a product of large ones."""
    source = _first_float(model)
    row = _put(model, "Reshape", [source, _whole(model, "row.shape", 1, -1)], "row")
    column = _put(model, "Reshape", [source, _whole(model, "column.shape", -1, 1)], "column")
    parts = [_put(model, "MatMul", [row, column], f"square.{number}") for number in range(2_000)]
    name = parts[0]
    for number, part in enumerate(parts[1:]):
        name = _put(model, "Max", [name, part], f"max.{number}")
    _mix_in(model, name)


def _many_numbers(model: ModelProto) -> None:
    model.graph.initializer.append(numpy_helper.from_array(np.zeros(30_000_000, dtype=np.float16), "numbers"))
    _mix_in(model, _put(model, "Cast", ["numbers"], "cast", to=1))


def _wrong_result(model: ModelProto) -> None:
    last = model.graph.node[-1]
    old = last.output[0]
    last.output[0] = "before"
    model.graph.node.append(helper.make_node("Concat", ["before", "before"], [old], axis=0))


def _renamed_input(model: ModelProto) -> None:
    model.graph.input[0].name = "other"


def _no_numbers(model: ModelProto) -> None:
    """A result of NaN: allowed, since it is of the right size; but nothing may be decided by it."""
    last = model.graph.node[-1]
    old = last.output[0]
    last.output[0] = "before"
    model.graph.initializer.append(numpy_helper.from_array(np.array(np.nan, dtype=np.float32), "nan"))
    model.graph.node.append(helper.make_node("Add", ["before", "nan"], [old]))


def _beyond_the_table(model: ModelProto) -> None:
    """A look-up beyond the end of a table, at a place that is known only when it is run."""
    model.graph.initializer.append(numpy_helper.from_array(np.zeros(4, dtype=np.float32), "table"))
    integer = next(value.name for value in model.graph.input if value.type.tensor_type.elem_type == 7)
    place = _put(model, "Add", [integer, _whole(model, "far", 1 << 40)], "place")
    _mix_in(model, _put(model, "Gather", ["table", place], "looked.up"))


#: What is refused before a session is made.
REFUSED: dict[str, Change] = {
    "constant of shape": _large("ConstantOfShape", 1 << 32),
    "constant of two axes": _large("ConstantOfShape", 1 << 16, 1 << 16),
    "expand": _large("Expand", 1 << 32),
    "range": _large("Range", 1 << 32),
    "doubled": _doubled(24),
    "doubled a little": _doubled(9),
    "outer product": _outer,
    "laid over": _laid_over,
    "as large as values": _of_values,
    "for one size": _for_one_size,
    "loop": _loop,
    "external data": _elsewhere("../../../etc/hostname"),
    "external data of its own": _elsewhere("model.safetensors"),
    "sparse": _sparse,
    "function": _function,
    "other operators": _other_domain,
    "nested": _nested,
    "many nodes": _many_nodes,
    "many numbers": _many_numbers,
    "result of another size": _wrong_result,
    "another input": _renamed_input,
}
#: What can only be told when it is run.
RUN: dict[str, Change] = {
    "no numbers": _no_numbers,
    "beyond the table": _beyond_the_table,
    "much work": _much_work,
}


def mutated(content: bytes, chance: random.Random) -> bytes:
    """A graph with a few things changed at random, which may still be one."""
    model = ModelProto()
    model.ParseFromString(content)
    for _ in range(chance.randrange(1, 4)):
        _mutate(model, chance)
    return model.SerializeToString()


_OPERATORS = ("Loop", "Tile", "Concat", "Mul", "MatMul", "Range", "Expand", "Where", "Resize", "Shape")
_NUMBERS = (-1, 0, 1, 3, 1 << 20, 1 << 33, 1 << 62)


def _mutate(model: ModelProto, chance: random.Random) -> None:
    graph = model.graph
    node = chance.choice(graph.node)
    kind = chance.randrange(6)
    if kind == 0:
        node.op_type = chance.choice([*_OPERATORS, chance.choice(graph.node).op_type])
    elif kind == 1 and node.input:
        names = [name for other in graph.node for name in other.output]
        node.input[chance.randrange(len(node.input))] = chance.choice(names)
    elif kind == 2:
        for attribute in node.attribute:
            if attribute.type == 2:
                attribute.i = chance.choice([-1, 0, 1, 7, 1 << 31, 1 << 62, -(1 << 63)])
            elif attribute.type == 7 and attribute.ints:
                attribute.ints[0] = chance.choice([-3, 0, 1, 2, 1 << 40])
    elif kind == 3:
        # An earlier change may have left a shape that its numbers do not fill.
        whole = [
            tensor
            for tensor in graph.initializer
            if tensor.data_type == 7 and 8 * math.prod(tensor.dims) == len(tensor.raw_data)
        ]
        if whole:
            tensor = chance.choice(whole)
            array = numpy_helper.to_array(tensor).copy()
            if array.size:
                array.flat[chance.randrange(array.size)] = chance.choice(_NUMBERS)
            tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
    elif kind == 4 and graph.initializer:
        tensor = chance.choice(graph.initializer)
        if tensor.dims:
            tensor.dims[chance.randrange(len(tensor.dims))] = chance.choice([0, 1, 1 << 20, 1 << 40, -1])
    else:
        graph.node.insert(chance.randrange(len(graph.node)), node)
