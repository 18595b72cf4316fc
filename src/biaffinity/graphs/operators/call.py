"""A node as its operator sees it, and the operators that are allowed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from biaffinity.graphs.results import Result
from biaffinity.graphs.sizes import ONE, Size
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
        return axis_of(self.whole("axis", default), rank)


Operator = Callable[[Call], Sequence[Result]]


@dataclass(frozen=True, slots=True)
class Allowed:
    """An operator: the number of its inputs at most, its attributes, and its results."""

    inputs: int
    attributes: frozenset[str]
    results: Operator


ALLOWED: dict[str, Allowed] = {}


def allow(names: str, inputs: int, attributes: str = "") -> Callable[[Operator], Operator]:
    """Allow some operators, whose results the decorated function gives."""

    def add(function: Operator) -> Operator:
        for name in names.split():
            ALLOWED[name] = Allowed(inputs, frozenset(attributes.split()), function)
        return function

    return add


def axis_of(axis: int, rank: int) -> int:
    """An axis counted from the front; one that is not there is an error."""
    if not -rank <= axis < max(rank, 1):
        raise GraphError("names an axis that is not there")
    return axis % rank if rank else 0


def axes_of(call: Call, rank: int, place: int) -> list[int]:
    """Axes that are given as an input; all of them where it is left out."""
    given = call.given(place)
    axes = [axis_of(axis, rank) for axis in given.certain()] if given is not None else list(range(rank))
    if len(set(axes)) < len(axes):
        raise GraphError("names an axis twice")
    return axes
