"""Operators that look up."""

from __future__ import annotations

from biaffinity.graphs.operators.call import Call, allow, axis_of
from biaffinity.graphs.results import Result
from biaffinity.graphs.sizes import UNTOLD
from biaffinity.graphs.wire import GraphError


@allow("Gather", 2, "axis")
def _gather(call: Call) -> list[Result]:
    values, places = call[0], call[1]
    axis = call.axis(values.rank)
    if values.each is not None and places.each and all(w.number is not None for w in places.each):
        numbers = [values.each[axis_of(place, len(values.each))] for place in places.certain()]
        return [Result.whole(values.type, numbers, scalar=not places.rank)]
    shape = [*values.shape[:axis], *places.shape, *values.shape[axis + 1 :]]
    return [Result.of(values.type, shape, values.every)]


@allow("GatherND", 2, "batch_dims")
def _gather_nd(call: Call) -> list[Result]:
    values, places = call[0], call[1]
    batch, depth = call.whole("batch_dims", 0), places.shape[-1].number if places.rank else None
    if depth is None or not 0 <= batch < places.rank or batch + depth > values.rank:
        raise GraphError(UNTOLD)
    return [Result.of(values.type, [*places.shape[:-1], *values.shape[batch + depth :]], values.every)]


@allow("GatherElements", 2, "axis")
def _gather_elements(call: Call) -> list[Result]:
    call.axis(call[0].rank)
    return [Result.of(call[0].type, call[1].shape, call[0].every)]
