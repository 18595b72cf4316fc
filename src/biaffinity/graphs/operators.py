"""The operators that a graph may have. One is allowed if it is known here how large its results may become.

Each function gives a node's results from what is known of its inputs, and the multiplications that it takes
where these are more than elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any

from biaffinity.graphs.onnx_file import BOOL, FLOAT, INT32, INT64, TYPES, UINT8, Tensor
from biaffinity.graphs.results import Result, alike, broadcast
from biaffinity.graphs.sizes import ANY, ONE, UNTOLD, Size, Whole, product
from biaffinity.graphs.wire import GraphError


@dataclass(slots=True)
class Call:
    """A node and what is known of its inputs; an input that is left out is None."""

    inputs: list[Result | None]
    attributes: dict[str, Any]
    #: Multiplications, where there are more than elements of the results.
    work: Size = field(default_factory=lambda: ONE)

    def __getitem__(self, place: int) -> Result:
        found = self.given(place)
        if found is None:
            raise GraphError("an operator lacks an input")
        return found

    def given(self, place: int) -> Result | None:
        """An input that may be left out."""
        return self.inputs[place] if place < len(self.inputs) else None

    def whole(self, name: str, default: int) -> int:
        """An attribute that is a whole number."""
        value = self.attributes.get(name, default)
        if type(value) is not int:
            raise GraphError(f"attribute {name} is no whole number")
        return value

    def wholes(self, name: str) -> list[int]:
        """An attribute that is several."""
        value = self.attributes.get(name)
        if not isinstance(value, list):
            raise GraphError(f"attribute {name} is no list of whole numbers")
        return value

    def axis(self, rank: int, default: int = 0) -> int:
        """The attribute ``axis``, counted from the front."""
        return _axis(self.whole("axis", default), rank)


#: No axis is so long: slices are given such an end to mean all.
FAR = 1 << 31
Operator = Callable[[Call], Sequence[Result]]


@dataclass(frozen=True, slots=True)
class Allowed:
    """An operator: the number of its inputs at most, its attributes, and its results."""

    inputs: int
    attributes: frozenset[str]
    results: Operator


ALLOWED: dict[str, Allowed] = {}


def _allow(names: str, inputs: int, attributes: str = "") -> Callable[[Operator], Operator]:
    def allow(function: Operator) -> Operator:
        for name in names.split():
            ALLOWED[name] = Allowed(inputs, frozenset(attributes.split()), function)
        return function

    return allow


def _axis(axis: int, rank: int) -> int:
    if not -rank <= axis < max(rank, 1):
        raise GraphError("names an axis that is not there")
    return axis % rank if rank else 0


def _axes(call: Call, rank: int, place: int) -> list[int]:
    """Axes that are given as an input; all of them where it is left out."""
    given = call.given(place)
    axes = [_axis(axis, rank) for axis in given.certain()] if given is not None else list(range(rank))
    if len(set(axes)) < len(axes):
        raise GraphError("names an axis twice")
    return axes


# Element by element


@_allow("Abs Ceil Cos Erf Exp Floor Log Neg Not Reciprocal Relu Round Sigmoid Sign Sin Sqrt Tanh", 1)
def _same(call: Call) -> list[Result]:
    return [call[0].like()]


@_allow("Softmax", 1, "axis")
def _softmax(call: Call) -> list[Result]:
    call.axis(call[0].rank, -1)
    return [call[0].like()]


@_allow("CumSum", 2, "exclusive reverse")
def _cumsum(call: Call) -> list[Result]:
    return [call[0].like()]


@_allow("LayerNormalization", 3, "axis epsilon stash_type")
def _layer_normalization(call: Call) -> list[Result]:
    return [call[0].like()]


@_allow("Trilu", 2, "upper")
def _trilu(call: Call) -> list[Result]:
    return [call[0].like()]


@_allow("Identity", 1)
def _identity(call: Call) -> list[Result]:
    return [call[0]]


@_allow("Cast", 1, "to")
def _cast(call: Call) -> list[Result]:
    to, values = call.whole("to", 0), call[0]
    if to not in TYPES:
        raise GraphError(f"casts to the type {to}, which is not allowed")
    return [values if to == values.type == INT64 else values.like(to)]


@_allow("Clip", 3)
def _clip(call: Call) -> list[Result]:
    values, low, high = call[0], call.given(1), call.given(2)

    def clip(whole: Whole) -> Whole:
        if low is not None:
            whole = _max(whole, low.every)
        return _min(whole, high.every) if high is not None else whole

    return [_mapped(values, clip)]


@_allow("IsInf IsNaN", 1)
def _asked(call: Call) -> list[Result]:
    return [call[0].like(BOOL)]


@_allow("And Equal Greater GreaterOrEqual Less LessOrEqual Or Xor", 2)
def _compared(call: Call) -> list[Result]:
    return [Result.of(BOOL, broadcast([call[0].shape, call[1].shape]))]


@_allow("Mod Pow", 2, "fmod")
def _over_each_other(call: Call) -> list[Result]:
    return [Result.of(call[0].type, broadcast([call[0].shape, call[1].shape]))]


@_allow("Div", 2)
def _div(call: Call) -> list[Result]:
    return [_together([call[0], call[1]], _divided)]


@_allow("Add", 2)
def _add(call: Call) -> list[Result]:
    return [_together([call[0], call[1]], _plus)]


@_allow("Sub", 2)
def _sub(call: Call) -> list[Result]:
    return [_together([call[0], call[1]], _minus)]


@_allow("Mul", 2)
def _mul(call: Call) -> list[Result]:
    return [_together([call[0], call[1]], _times)]


@_allow("Max", 8)
def _maximum(call: Call) -> list[Result]:
    return [_together([call[place] for place in range(len(call.inputs))], _max)]


@_allow("Min", 8)
def _minimum(call: Call) -> list[Result]:
    return [_together([call[place] for place in range(len(call.inputs))], _min)]


@_allow("Where", 3)
def _where(call: Call) -> list[Result]:
    chosen = _together([call[1], call[2]], or_)
    shape = broadcast([call[0].shape, chosen.shape])
    if shape == chosen.shape:
        return [chosen]
    return [Result.of(chosen.type, shape, chosen.every)]


# Shapes


@_allow("Shape", 1, "start end")
def _shape(call: Call) -> list[Result]:
    shape = call[0].shape
    wanted = shape[call.whole("start", 0) : call.whole("end", len(shape))]
    return [Result.whole(INT64, [Whole(size.least, size) for size in wanted])]


@_allow("Reshape", 2, "allowzero")
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


@_allow("Expand", 2)
def _expand(call: Call) -> list[Result]:
    shape = broadcast([call[0].shape, tuple(whole.size for whole in call[1].numbers())])
    return [Result.of(call[0].type, shape, call[0].every)]


@_allow("Tile", 2)
def _tile(call: Call) -> list[Result]:
    times = [whole.size for whole in call[1].numbers()]
    if len(times) != call[0].rank:
        raise GraphError("names an axis that is not there")
    return [Result.of(call[0].type, [size * more for size, more in zip(call[0].shape, times, strict=True)])]


@_allow("ConstantOfShape", 1, "value")
def _constant_of_shape(call: Call) -> list[Result]:
    value = call.attributes.get("value", Tensor(FLOAT, (1,), None))
    if not isinstance(value, Tensor):
        raise GraphError("attribute value is no tensor")
    every = Whole.of(value.values[0]) if value.values else ANY
    return [Result.of(value.type, [whole.size for whole in call[0].numbers()], every)]


@_allow("Range", 3)
def _range(call: Call) -> list[Result]:
    start, limit, step = (call[place].every for place in range(3))
    if call[0].type != INT64 or not step.number or step.number < 0 or start.low is None or limit.high is None:
        raise GraphError(UNTOLD)
    every = Whole(start.low, limit.high.at_most)
    if start.number == 0 and step.number == 1:
        return [Result.of(INT64, [limit.size], every)]
    size = limit.size.at_most + Size.of(max(0, -start.low))
    return [Result.of(INT64, [(size // step.number).at_most], every)]


@_allow("Transpose", 1, "perm")
def _transpose(call: Call) -> list[Result]:
    values = call[0]
    order = call.wholes("perm") if "perm" in call.attributes else list(range(values.rank))[::-1]
    if sorted(order) != list(range(values.rank)):
        raise GraphError("names an axis that is not there")
    shape = tuple(values.shape[axis] for axis in order)
    return [Result(values.type, shape, values.count, values.every)]


@_allow("Unsqueeze", 2)
def _unsqueeze(call: Call) -> list[Result]:
    axes = call[1].certain()
    rank = call[0].rank + len(axes)
    places = {_axis(axis, rank) for axis in axes}
    own = iter(call[0].shape)
    if len(places) < len(axes):
        raise GraphError("names an axis twice")
    return [call[0].reshaped([ONE if place in places else next(own) for place in range(rank)])]


@_allow("Squeeze", 2)
def _squeeze(call: Call) -> list[Result]:
    values = call[0]
    places = _axes(call, values.rank, 1)
    return [values.reshaped([size for place, size in enumerate(values.shape) if place not in places])]


@_allow("Flatten", 1, "axis")
def _flatten(call: Call) -> list[Result]:
    axis = call.axis(call[0].rank, 1)
    return [call[0].reshaped([product(call[0].shape[:axis]), product(call[0].shape[axis:])])]


@_allow("Concat", 64, "axis")
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


@_allow("Split", 2, "axis num_outputs")
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


@_allow("Slice", 5)
def _slice(call: Call) -> list[Result]:
    values = call[0]
    starts, ends = call[1].numbers(), call[2].numbers()
    axes = (
        [_axis(axis, values.rank) for axis in call[3].certain()] if call.given(3) else [*range(len(starts))]
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
        return _minus(end, start).size.at_most
    return end.size.at_most


@_allow("Pad", 4, "mode")
def _pad(call: Call) -> list[Result]:
    values, pads = call[0], [whole.size for whole in call[1].numbers()]
    axes = (
        [_axis(axis, values.rank) for axis in call[3].certain()] if call.given(3) else [*range(values.rank)]
    )
    if len(pads) != 2 * len(axes) or call.attributes.get("mode", "constant") != "constant":
        raise GraphError("pads an array in a way that is not allowed")
    shape = list(values.shape)
    for place, axis in enumerate(axes):
        shape[axis] = shape[axis] + pads[place] + pads[place + len(axes)]
    return [Result.of(values.type, shape)]


# Looking up


@_allow("Gather", 2, "axis")
def _gather(call: Call) -> list[Result]:
    values, places = call[0], call[1]
    axis = call.axis(values.rank)
    if values.each is not None and places.each and all(w.number is not None for w in places.each):
        numbers = [values.each[_axis(place, len(values.each))] for place in places.certain()]
        return [Result.whole(values.type, numbers, scalar=not places.rank)]
    shape = [*values.shape[:axis], *places.shape, *values.shape[axis + 1 :]]
    return [Result.of(values.type, shape, values.every)]


@_allow("GatherND", 2, "batch_dims")
def _gather_nd(call: Call) -> list[Result]:
    values, places = call[0], call[1]
    batch, depth = call.whole("batch_dims", 0), places.shape[-1].number if places.rank else None
    if depth is None or not 0 <= batch < places.rank or batch + depth > values.rank:
        raise GraphError(UNTOLD)
    return [Result.of(values.type, [*places.shape[:-1], *values.shape[batch + depth :]], values.every)]


@_allow("GatherElements", 2, "axis")
def _gather_elements(call: Call) -> list[Result]:
    call.axis(call[0].rank)
    return [Result.of(call[0].type, call[1].shape, call[0].every)]


# Sums and products


@_allow("ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum", 2, "keepdims noop_with_empty_axes")
def _reduce(call: Call) -> list[Result]:
    values, keep = call[0], call.whole("keepdims", 1)
    places = _axes(call, values.rank, 1)
    if call.whole("noop_with_empty_axes", 0):
        raise GraphError("sums up in a way that is not allowed")
    shape = [
        ONE if place in places else size
        for place, size in enumerate(values.shape)
        if keep or place not in places
    ]
    return [Result.of(values.type, shape)]


@_allow("MatMul", 2)
def _matmul(call: Call) -> list[Result]:
    return [_matrix_product(call, call[0].type)]


@_allow("MatMulInteger", 4)
def _matmul_integer(call: Call) -> list[Result]:
    return [_matrix_product(call, INT32)]


@_allow("Gemm", 3, "alpha beta transA transB")
def _gemm(call: Call) -> list[Result]:
    one, two = call[0].shape, call[1].shape
    if len(one) != 2 or len(two) != 2:
        raise GraphError("multiplies what are no matrices")
    rows, inner = one[::-1] if call.whole("transA", 0) else one
    columns = two[0] if call.whole("transB", 0) else two[1]
    call.work = rows * inner * columns
    return [Result.of(call[0].type, [rows, columns])]


@_allow("LSTM", 5, "direction hidden_size")
def _lstm(call: Call) -> list[Result]:
    values, weights, recurrent = call[0].shape, call[1].shape, call[2].shape
    directions = {"forward": 1, "reverse": 1, "bidirectional": 2}.get(
        call.attributes.get("direction", "forward")
    )
    hidden = Size.of(call.whole("hidden_size", 0))
    if directions is None or len(values) != 3:
        raise GraphError("has an LSTM that is not as it should be")
    both, gates = Size.of(directions), Size.of(4) * hidden
    if weights != (both, gates, values[2]) or recurrent != (both, gates, hidden):
        raise GraphError("has an LSTM whose weights are not as it says")
    steps, batch, width = values
    call.work = steps * batch * both * gates * (width + hidden)
    states = Result.of(call[0].type, [steps, both, batch, hidden])
    last = Result.of(call[0].type, [both, batch, hidden])
    return [states, last, last]


@_allow("DynamicQuantizeLinear", 1)
def _dynamic_quantize(call: Call) -> list[Result]:
    return [call[0].like(UINT8), Result.of(FLOAT, []), Result.of(UINT8, [])]


@_allow("DequantizeLinear", 3, "axis")
def _dequantize(call: Call) -> list[Result]:
    return [call[0].like(FLOAT)]


def _matrix_product(call: Call, kind: int) -> Result:
    one, two = call[0].shape, call[1].shape
    if not one or not two:
        raise GraphError("multiplies what are no matrices")
    rows = one[-2:-1] or (ONE,)
    columns = two[-1:] if len(two) > 1 else (ONE,)
    before = broadcast([one[:-2], two[:-2]])
    shape = [*before, *(rows if len(one) > 1 else ()), *(columns if len(two) > 1 else ())]
    inner = two[-2] if len(two) > 1 else two[-1]
    call.work = product([*before, *rows, *columns, alike(one[-1], inner)])
    return Result.of(kind, shape)


# Whole numbers


def _together(parts: Sequence[Result], combine: Callable[[Whole, Whole], Whole]) -> Result:
    """Arrays laid over each other, and what becomes of their whole numbers."""
    kind, shape = parts[0].type, broadcast([part.shape for part in parts])
    if kind != INT64:
        return Result.of(kind, shape)
    lists = [part.each for part in parts]
    if len(shape) < 2 and all(each is not None for each in lists):
        length = max(len(each or ()) for each in lists)
        if all(len(each or ()) in (1, length) for each in lists):
            rows = [(each or ()) * (length if len(each or ()) == 1 else 1) for each in lists]
            return Result.whole(
                kind, [reduce(combine, row) for row in zip(*rows, strict=True)], scalar=not shape
            )
    return Result.of(kind, shape, reduce(combine, (part.every for part in parts)))


def _mapped(values: Result, change: Callable[[Whole], Whole]) -> Result:
    if values.type != INT64:
        return values.like()
    each = tuple(map(change, values.each)) if values.each is not None else None
    return Result(values.type, values.shape, values.count, change(values.every), each)


def _plus(one: Whole, other: Whole) -> Whole:
    low = None if one.low is None or other.low is None else one.low + other.low
    return Whole(low, None if one.high is None or other.high is None else one.high + other.high)


def _minus(one: Whole, other: Whole) -> Whole:
    # What is taken away may be as small as its lower bound; how large it may be is known of numbers only.
    number = other.high.number if other.high is not None else None
    low = None if one.low is None or number is None else one.low - number
    if one.high is None or other.low is None:
        return Whole(low, None)
    if number is None:
        return Whole(low, (one.high + Size.of(-other.low)).at_most)
    return Whole(low, one.high + Size.of(-number))


def _times(one: Whole, other: Whole) -> Whole:
    if one.number is not None and other.number is not None:
        return Whole.of(one.number * other.number)
    if one.low is None or other.low is None or min(one.low, other.low) < 0:
        return ANY
    high = None if one.high is None or other.high is None else one.size * other.size
    return Whole(one.low * other.low, high)


def _divided(one: Whole, other: Whole) -> Whole:
    if one.low is None or one.low < 0 or other.low is None or other.low < 1:
        return ANY
    return Whole(0, None if one.high is None else one.high.at_most)


def _max(one: Whole, other: Whole) -> Whole:
    lows = [low for low in (one.low, other.low) if low is not None]
    return Whole(max(lows, default=None), (one | other).high)


def _min(one: Whole, other: Whole) -> Whole:
    """Bounded by either; by the one that is a number, if one is."""
    highs = [high for high in (one.high, other.high) if high is not None]
    high = next((high for high in highs if high.number is not None), highs[0] if highs else None)
    return Whole((one | other).low, None if high is None else high.at_most)


def results_of(
    operator: str, inputs: Iterable[Result | None], attributes: dict[str, Any]
) -> tuple[Sequence[Result], Size]:
    """The results of a node, and its multiplications."""
    allowed = ALLOWED.get(operator)
    if allowed is None:
        raise GraphError(f"the operator {operator:.80} is not allowed")
    call = Call(list(inputs), attributes)
    if len(call.inputs) > allowed.inputs or not attributes.keys() <= allowed.attributes:
        raise GraphError(f"the operator {operator} is not used as it may be")
    return allowed.results(call), call.work
