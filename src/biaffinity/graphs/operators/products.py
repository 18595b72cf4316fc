"""Operators that sum and multiply, in eight bits too."""

from __future__ import annotations

from biaffinity.graphs.onnx_file import FLOAT, INT32, UINT8
from biaffinity.graphs.operators.call import Call, allow, axes_of
from biaffinity.graphs.results import Result, alike, broadcast
from biaffinity.graphs.sizes import ONE, Size, product
from biaffinity.graphs.wire import GraphError


@allow("ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum", 2, "keepdims noop_with_empty_axes")
def _reduce(call: Call) -> list[Result]:
    values, keep = call[0], call.whole("keepdims", 1)
    places = axes_of(call, values.rank, 1)
    if call.whole("noop_with_empty_axes", 0):
        raise GraphError("sums up in a way that is not allowed")
    shape = [
        ONE if place in places else size
        for place, size in enumerate(values.shape)
        if keep or place not in places
    ]
    return [Result.of(values.type, shape)]


@allow("MatMul", 2)
def _matmul(call: Call) -> list[Result]:
    return [_matrix_product(call, call[0].type)]


@allow("MatMulInteger", 4)
def _matmul_integer(call: Call) -> list[Result]:
    return [_matrix_product(call, INT32)]


@allow("Gemm", 3, "alpha beta transA transB")
def _gemm(call: Call) -> list[Result]:
    one, two = call[0].shape, call[1].shape
    if len(one) != 2 or len(two) != 2:
        raise GraphError("multiplies what are no matrices")
    rows, inner = one[::-1] if call.whole("transA", 0) else one
    columns = two[0] if call.whole("transB", 0) else two[1]
    call.work = rows * inner * columns
    return [Result.of(call[0].type, [rows, columns])]


@allow("LSTM", 5, "direction hidden_size")
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


@allow("DynamicQuantizeLinear", 1)
def _dynamic_quantize(call: Call) -> list[Result]:
    return [call[0].like(UINT8), Result.of(FLOAT, []), Result.of(UINT8, [])]


@allow("DequantizeLinear", 3, "axis")
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
