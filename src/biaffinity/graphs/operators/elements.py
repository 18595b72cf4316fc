"""Operators that work element by element."""

from __future__ import annotations

from operator import or_

from biaffinity.graphs.onnx_file import BOOL, INT64, TYPES
from biaffinity.graphs.operators.call import Call, allow
from biaffinity.graphs.operators.whole_numbers import (
    divided,
    larger,
    mapped,
    minus,
    plus,
    smaller,
    times,
    together,
)
from biaffinity.graphs.results import Result, broadcast
from biaffinity.graphs.sizes import Whole
from biaffinity.graphs.wire import GraphError


@allow("Abs Ceil Cos Erf Exp Floor Log Neg Not Reciprocal Relu Round Sigmoid Sign Sin Sqrt Tanh", 1)
def _same(call: Call) -> list[Result]:
    return [call[0].like()]


@allow("Softmax", 1, "axis")
def _softmax(call: Call) -> list[Result]:
    call.axis(call[0].rank, -1)
    return [call[0].like()]


@allow("CumSum", 2, "exclusive reverse")
def _cumsum(call: Call) -> list[Result]:
    return [call[0].like()]


@allow("LayerNormalization", 3, "axis epsilon stash_type")
def _layer_normalization(call: Call) -> list[Result]:
    return [call[0].like()]


@allow("Trilu", 2, "upper")
def _trilu(call: Call) -> list[Result]:
    return [call[0].like()]


@allow("Identity", 1)
def _identity(call: Call) -> list[Result]:
    return [call[0]]


@allow("Cast", 1, "to")
def _cast(call: Call) -> list[Result]:
    to, values = call.whole("to", 0), call[0]
    if to not in TYPES:
        raise GraphError(f"casts to the type {to}, which is not allowed")
    return [values if to == values.type == INT64 else values.like(to)]


@allow("Clip", 3)
def _clip(call: Call) -> list[Result]:
    values, low, high = call[0], call.given(1), call.given(2)

    def clip(whole: Whole) -> Whole:
        if low is not None:
            whole = larger(whole, low.every)
        return smaller(whole, high.every) if high is not None else whole

    return [mapped(values, clip)]


@allow("IsInf IsNaN", 1)
def _asked(call: Call) -> list[Result]:
    return [call[0].like(BOOL)]


@allow("And Equal Greater GreaterOrEqual Less LessOrEqual Or Xor", 2)
def _compared(call: Call) -> list[Result]:
    return [Result.of(BOOL, broadcast([call[0].shape, call[1].shape]))]


@allow("Mod Pow", 2, "fmod")
def _over_each_other(call: Call) -> list[Result]:
    return [Result.of(call[0].type, broadcast([call[0].shape, call[1].shape]))]


@allow("Div", 2)
def _div(call: Call) -> list[Result]:
    return [together([call[0], call[1]], divided)]


@allow("Add", 2)
def _add(call: Call) -> list[Result]:
    return [together([call[0], call[1]], plus)]


@allow("Sub", 2)
def _sub(call: Call) -> list[Result]:
    return [together([call[0], call[1]], minus)]


@allow("Mul", 2)
def _mul(call: Call) -> list[Result]:
    return [together([call[0], call[1]], times)]


@allow("Max", 8)
def _maximum(call: Call) -> list[Result]:
    return [together([call[place] for place in range(len(call.inputs))], larger)]


@allow("Min", 8)
def _minimum(call: Call) -> list[Result]:
    return [together([call[place] for place in range(len(call.inputs))], smaller)]


@allow("Where", 3)
def _where(call: Call) -> list[Result]:
    chosen = together([call[1], call[2]], or_)
    shape = broadcast([call[0].shape, chosen.shape])
    if shape == chosen.shape:
        return [chosen]
    return [Result.of(chosen.type, shape, chosen.every)]
