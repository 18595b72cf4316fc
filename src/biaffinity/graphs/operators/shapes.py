"""Operators that make, change and take apart shapes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

from biaffinity.graphs.onnx_file import FLOAT, INT64, Tensor
from biaffinity.graphs.operators.call import Call, allow, axes_of, axis_of
from biaffinity.graphs.operators.whole_numbers import minus
from biaffinity.graphs.results import Result, broadcast
from biaffinity.graphs.sizes import ANY, ONE, UNTOLD, Size, Whole, product
from biaffinity.graphs.wire import GraphError

#: No axis is so long: slices are given such an end to mean all.
FAR = 1 << 31


@allow("Shape", 1, "start end")
def _shape(call: Call) -> list[Result]:
    shape = call[0].shape
    wanted = shape[call.whole("start", 0) : call.whole("end", len(shape))]
    return [Result.whole(INT64, [Whole(size.least, size) for size in wanted])]


@allow("Reshape", 2, "allowzero")
def _reshape(call: Call) -> list[Result]:
    values, wanted, zero = call[0], call[1].numbers(), bool(call.whole("allowzero", 0))
    shape: list[Size | None] = []
    for place, whole in enumerate(wanted):
        if whole.number == -1:
            shape.append(None)
        elif zero or (whole.low or 0) > 0:
            shape.append(whole.size)
        elif place >= values.rank:
            raise GraphError("names an axis that is not there")
        else:  # nought stands for the axis as it is
            shape.append(values.shape[place] if whole.number == 0 else whole.size | values.shape[place])
    if shape.count(None) > 1:
        raise GraphError("reshapes an array in more than one way")
    known = [size for size in shape if size is not None]
    rest = _rest(values, known) if None in shape else ONE
    return [values.reshaped([rest if size is None else size for size in shape])]


def _rest(values: Result, known: Sequence[Size]) -> Size:
    """A bound on what is left for one axis: all elements, without the axes that it shares or knows."""
    own = list(values.shape)
    number = 1
    shared = product(values.shape) == values.count
    for size in known:
        if shared and size.exact and size in own:
            own.remove(size)
        elif size.number:
            number *= size.number
    return (product(own) if shared else values.count) // number


@allow("Expand", 2)
def _expand(call: Call) -> list[Result]:
    shape = broadcast([call[0].shape, tuple(whole.size for whole in call[1].numbers())])
    return [Result.of(call[0].type, shape, call[0].every)]


@allow("Tile", 2)
def _tile(call: Call) -> list[Result]:
    times = [whole.size for whole in call[1].numbers()]
    if len(times) != call[0].rank:
        raise GraphError("names an axis that is not there")
    return [Result.of(call[0].type, [size * more for size, more in zip(call[0].shape, times, strict=True)])]


@allow("ConstantOfShape", 1, "value")
def _constant_of_shape(call: Call) -> list[Result]:
    value = call.attributes.get("value", Tensor(FLOAT, (1,), None))
    if not isinstance(value, Tensor):
        raise GraphError("attribute value is no tensor")
    every = Whole.of(value.values[0]) if value.values else ANY
    return [Result.of(value.type, [whole.size for whole in call[0].numbers()], every)]


@allow("Range", 3)
def _range(call: Call) -> list[Result]:
    start, limit, step = (call[place].every for place in range(3))
    if call[0].type != INT64 or not step.number or step.number < 0 or start.low is None or limit.high is None:
        raise GraphError(UNTOLD)
    every = Whole(start.low, limit.high.at_most)
    if start.number == 0 and step.number == 1:
        return [Result.of(INT64, [limit.size], every)]
    size = limit.size.at_most + Size.of(max(0, -start.low))
    return [Result.of(INT64, [(size // step.number).at_most], every)]


@allow("Transpose", 1, "perm")
def _transpose(call: Call) -> list[Result]:
    values = call[0]
    order = call.wholes("perm") if "perm" in call.attributes else list(range(values.rank))[::-1]
    if sorted(order) != list(range(values.rank)):
        raise GraphError("names an axis that is not there")
    shape = tuple(values.shape[axis] for axis in order)
    return [Result(values.type, shape, values.count, values.every)]


@allow("Unsqueeze", 2)
def _unsqueeze(call: Call) -> list[Result]:
    axes = call[1].certain()
    rank = call[0].rank + len(axes)
    places = {axis_of(axis, rank) for axis in axes}
    own = iter(call[0].shape)
    if len(places) < len(axes):
        raise GraphError("names an axis twice")
    return [call[0].reshaped([ONE if place in places else next(own) for place in range(rank)])]


@allow("Squeeze", 2)
def _squeeze(call: Call) -> list[Result]:
    values = call[0]
    places = axes_of(call, values.rank, 1)
    return [values.reshaped([size for place, size in enumerate(values.shape) if place not in places])]


@allow("Flatten", 1, "axis")
def _flatten(call: Call) -> list[Result]:
    axis = call.axis(call[0].rank, 1)
    return [call[0].reshaped([product(call[0].shape[:axis]), product(call[0].shape[axis:])])]


@allow("Concat", 64, "axis")
def _concat(call: Call) -> list[Result]:
    parts = [call[place] for place in range(len(call.inputs))]
    axis = call.axis(parts[0].rank)
    if any(part.rank != parts[0].rank for part in parts):
        raise GraphError("joins arrays of different kinds")
    if parts[0].rank == 1 and all(part.each is not None for part in parts):
        return [Result.whole(parts[0].type, [whole for part in parts for whole in part.each or ()])]
    shape = [reduce(or_, sizes) for sizes in zip(*(part.shape for part in parts), strict=True)]
    shape[axis] = reduce(Size.__add__, (part.shape[axis] for part in parts))
    return [Result.of(parts[0].type, shape, reduce(or_, (part.every for part in parts)))]


@allow("Split", 2, "axis num_outputs")
def _split(call: Call) -> list[Result]:
    values = call[0]
    axis = call.axis(values.rank)
    if call.given(1) is None:
        count = call.whole("num_outputs", 0)
        if not 0 < count <= 64:
            raise GraphError("splits an array into too many")
        sizes = _parts(values.shape[axis], count)
    else:
        sizes = [whole.size for whole in call[1].numbers()]
    return [Result.of(values.type, [*values.shape[:axis], size, *values.shape[axis + 1 :]]) for size in sizes]


def _parts(size: Size, count: int) -> list[Size]:
    """An axis in parts of one size, of which the last may be smaller."""
    if size.number is None:
        return [(size // count).at_most] * count
    each = -(-size.number // count)
    return [*[Size.of(each)] * (count - 1), Size.of(max(0, size.number - each * (count - 1)))]


@allow("Slice", 5)
def _slice(call: Call) -> list[Result]:
    values = call[0]
    starts, ends = call[1].numbers(), call[2].numbers()
    axes = (
        [axis_of(axis, values.rank) for axis in call[3].certain()] if call.given(3) else [*range(len(starts))]
    )
    steps = call[4].certain() if call.given(4) else [1] * len(starts)
    if not len(starts) == len(ends) == len(axes) == len(steps) <= values.rank:
        raise GraphError("names an axis that is not there")
    shape = list(values.shape)
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        first, last = start.number, end.number
        if values.each is not None and first is not None and last is not None and step:
            return [Result.whole(values.type, values.each[first:last:step])]
        size = shape[axis].number
        if size is not None and first is not None and last is not None and step:
            shape[axis] = Size.of(len(range(min(size, FAR))[first:last:step]))
        else:
            shape[axis] = _slice_bound(shape[axis], start, end, step)
    return [Result.of(values.type, shape, values.every)]


def _slice_bound(size: Size, start: Whole, end: Whole, step: int) -> Size:
    """The end bounds it where both ends are counted from the front; the axis always does."""
    if step != 1 or start.low is None or start.low < 0 or end.low is None or end.low < 0 or end.high is None:
        return size.at_most
    if end.number is not None and end.number >= FAR:  # to the end of the axis
        return size if start.number == 0 else size.at_most
    if start.number is not None:
        return minus(end, start).size.at_most
    return end.size.at_most


@allow("Pad", 4, "mode")
def _pad(call: Call) -> list[Result]:
    values, pads = call[0], [whole.size for whole in call[1].numbers()]
    axes = (
        [axis_of(axis, values.rank) for axis in call[3].certain()] if call.given(3) else [*range(values.rank)]
    )
    if len(pads) != 2 * len(axes) or call.attributes.get("mode", "constant") != "constant":
        raise GraphError("pads an array in a way that is not allowed")
    shape = list(values.shape)
    for place, axis in enumerate(axes):
        shape[axis] = shape[axis] + pads[place] + pads[place + len(axes)]
    return [Result.of(values.type, shape)]
