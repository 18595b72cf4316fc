"""Whether a graph may be run: it is as its model says, and can never ask for more than such a model needs.

Every operator is one whose results can be bounded, so that a bound on each array, on all of them together and
on all multiplications is known as a function of the inputs' sizes. The measure is the model itself: how wide
and how deep its config says that it is, and how many numbers its weights hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from biaffinity.graphs.onnx_file import FLOAT, INT64, Graph, OnnxFile
from biaffinity.graphs.operators import results_of
from biaffinity.graphs.results import Result, either
from biaffinity.graphs.sizes import Monomial, Size
from biaffinity.graphs.wire import GraphError

#: Sizes of an array by its axes: numbers, or names that stand for one size wherever they are.
Axes = tuple[int | str, ...]

# How far beyond its measure a graph may go. In brackets the most that our own exports need: recurrent models
# of every switch, and two dozen kinds of transformers.
#: Elements of one array: times the widest layer (12, for the maxima of all long ranges).
ARRAY = 16
#: Elements of all arrays: times the widest layer, times layers (33).
ARRAYS = 64
#: Multiplications: times the numbers in the graph, times layers, which may share their weights (1.1).
PRODUCTS = 2
#: What a graph may hold and do whatever its measure: constants, and models for tests.
SLACK = 1 << 16


@dataclass(frozen=True, slots=True)
class Signature:
    """What a graph reads and gives, by a model's config, and what it is measured by.

    ``inputs`` and ``result`` are axes; ``width`` is the widest layer, ``layers`` how many there are.
    ``crossed`` is an axis whose every place is compared with every other, of ``positions`` places at most.
    """

    inputs: Mapping[str, Axes]
    result: Axes
    width: int
    layers: int = 1
    crossed: str = ""
    positions: int = 1

    def width_of(self, monomial: Monomial) -> int:
        """What arrays that grow with a product of sizes are measured by."""
        if (
            monomial.count(self.crossed) == 2
        ):  # a number for each head, and each has many of a layer's numbers
            return max(2, self.width // 256)
        if self.crossed and self.crossed not in monomial:  # tables of positions
            return self.width * max(1, self.positions // 4)
        return self.width

    def products(self) -> set[Monomial]:
        """Sizes that may be multiplied: those of the axes of one array."""
        found: set[Monomial] = set()
        for axes in (*self.inputs.values(), self.result):
            names = [axis for axis in axes if isinstance(axis, str)]
            names += [axis for axis in names if axis == self.crossed]
            found.update(
                tuple(sorted(some)) for count in range(len(names) + 1) for some in combinations(names, count)
            )
        return found


@dataclass(slots=True)
class _Needs:
    """What a graph asks for, by products of sizes."""

    largest: Counter[Monomial] = field(default_factory=Counter)
    arrays: Counter[Monomial] = field(default_factory=Counter)
    products: Counter[Monomial] = field(default_factory=Counter)
    numbers: int = 0


def judge(file: OnnxFile, signature: Signature, numbers: int) -> None:
    """Raise a `GraphError` unless a graph is as its signature says and within its measure.

    ``numbers`` is how many the model's weights hold: a graph that is made from them holds no more.
    """
    needs = _Needs()
    known = dict(_inputs(file.graph, signature))
    _run(file.graph, known, needs)
    _check_result(file.graph, known, signature)
    if needs.numbers > numbers + SLACK:
        raise GraphError(f"holds {needs.numbers:,} numbers, the weights only {numbers:,}")
    allowed, layers = signature.products(), signature.layers
    for what, asked in (
        ("an array", needs.largest),
        ("arrays", needs.arrays),
        ("multiplications", needs.products),
    ):
        for monomial, factor in asked.items():
            width, own = signature.width_of(monomial), PRODUCTS * needs.numbers + SLACK
            if what == "multiplications":
                most = ARRAY * signature.width * layers if _crosses(monomial) else own * layers
            else:
                most = ARRAY * width if what == "an array" else ARRAYS * width * layers
            if factor > (most if monomial else max(most, own)) or monomial not in allowed:
                size = Size(((monomial, factor),))
                raise GraphError(f"asks for {what}: {size}, which is more than a model of this config does")


def _crosses(monomial: Monomial) -> bool:
    return len(set(monomial)) < len(monomial)


def _inputs(graph: Graph, signature: Signature) -> Iterator[tuple[str, Result]]:
    if [value.name for value in graph.inputs] != list(signature.inputs):
        names = ", ".join(f"{value.name:.40}" for value in graph.inputs[:8])
        raise GraphError(f"reads {names or 'nothing'}, not {', '.join(signature.inputs)}")
    for value, axes in zip(graph.inputs, signature.inputs.values(), strict=True):
        own = [size if isinstance(size, int) else None for size in value.axes]
        if own != [axis if isinstance(axis, int) else None for axis in axes]:
            raise GraphError(f"reads {value.name} as {list(value.axes)}, the config wants {list(axes)}")
        if value.type not in (FLOAT, INT64):
            raise GraphError(f"reads {value.name} as numbers of another kind")
        yield value.name, Result.of(value.type, [Size.of(axis) for axis in axes])


def _check_result(graph: Graph, known: Mapping[str, Result], signature: Signature) -> None:
    [name, *others] = [value.name for value in graph.outputs] or [""]
    if others or name not in known:
        raise GraphError("has not one result")
    result, wanted = known[name], tuple(Size.of(axis) for axis in signature.result)
    if result.type != FLOAT or result.shape != wanted:
        shape = ", ".join(map(str, result.shape))
        raise GraphError(f"gives [{shape}], the config wants {list(signature.result)}")


def _run(graph: Graph, known: dict[str, Result], needs: _Needs) -> None:
    """Go through a graph as if to run it, with what is ``known`` of every array instead of the array."""
    for name, tensor in graph.tensors.items():
        needs.numbers += tensor.count
        _learn(known, name, Result.constant(tensor))
    for node in graph.nodes:
        results: Sequence[Result]
        if node.operator == "If":
            results = _branches(node.inputs, node.attributes, known, needs)
        else:
            inputs = [_known(known, name) if name else None for name in node.inputs]
            results, work = results_of(node.operator, inputs, node.attributes)
            needs.products.update(dict(work.terms))
        if len(node.outputs) > len(results):
            raise GraphError(f"the operator {node.operator} is not used as it may be")
        for name, result in zip(node.outputs, results, strict=False):
            if name:
                _learn(known, name, result)
                for monomial, factor in result.count.terms:
                    needs.largest[monomial] = max(factor, needs.largest[monomial])
                    needs.arrays[monomial] += factor


def _branches(
    inputs: list[str], branches: Mapping[str, object], known: Mapping[str, Result], needs: _Needs
) -> list[Result]:
    """What an If gives: what either of its branches does. They read nothing but what is known outside."""
    ends = []
    for branch in ("then_branch", "else_branch"):
        graph = branches.get(branch)
        if not isinstance(graph, Graph) or len(branches) != 2 or len(inputs) != 1 or graph.inputs:
            raise GraphError("the operator If is not used as it may be")
        inner = dict(known)
        _run(graph, inner, needs)
        ends.append([_known(inner, value.name) for value in graph.outputs])
    _known(known, inputs[0])
    if len(ends[0]) != len(ends[1]):
        raise GraphError("has branches with results of different kinds")
    return [either(one, other) for one, other in zip(*ends, strict=True)]


def _known(known: Mapping[str, Result], name: str) -> Result:
    if name not in known:
        raise GraphError(f"reads {name:.80} before it is there")
    return known[name]


def _learn(known: dict[str, Result], name: str, result: Result) -> None:
    if name in known:
        raise GraphError(f"makes {name:.80} twice")
    known[name] = result
