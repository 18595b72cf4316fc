"""The operators that a graph may have. One is allowed if it is known here how large its results may become.

Each function gives a node's results from what is known of its inputs, and the multiplications that it takes
where these are more than elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

# Those that are imported are allowed: each module adds its own to ALLOWED.
from biaffinity.graphs.operators import elements, lookups, products, shapes
from biaffinity.graphs.operators.call import ALLOWED, Call
from biaffinity.graphs.results import Result
from biaffinity.graphs.sizes import Size
from biaffinity.graphs.wire import GraphError

__all__ = ["ALLOWED", "elements", "lookups", "products", "results_of", "shapes"]


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
