"""What is known of a node's result before it is run: its type, its shape at most, and its whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from biaffinity.graphs.onnx_file import INT64, MOST_VALUES, Tensor
from biaffinity.graphs.sizes import ANY, ONE, UNTOLD, Size, Whole, product
from biaffinity.graphs.wire import GraphError


@dataclass(frozen=True, slots=True)
class Result:
    """An array: the type of its elements, bounds on its axes, and how many elements it has at most.

    ``each`` are its elements one by one, of a short vector or a single number; ``every`` holds for all. Both
    are known of 64 bits only, which no size exceeds.
    """

    type: int
    shape: tuple[Size, ...]
    count: Size
    every: Whole = ANY
    each: tuple[Whole, ...] | None = None

    @classmethod
    def of(cls, kind: int, shape: Sequence[Size], every: Whole = ANY) -> Result:
        """An array of some shape."""
        return cls(kind, tuple(shape), product(shape), every)

    @classmethod
    def whole(cls, kind: int, numbers: Sequence[Whole], *, scalar: bool = False) -> Result:
        """Whole numbers that are known one by one."""
        shape = () if scalar else (Size.of(len(numbers)),)
        every = reduce(or_, numbers) if numbers else ANY
        return cls(
            kind, shape, product(shape), every, tuple(numbers) if len(numbers) <= MOST_VALUES else None
        )

    @classmethod
    def constant(cls, tensor: Tensor) -> Result:
        """A tensor of the file."""
        shape = [Size.of(size) for size in tensor.shape]
        if tensor.values is None or tensor.type != INT64:
            return cls.of(tensor.type, shape)
        numbers = [Whole.of(value) for value in tensor.values]
        if len(shape) < 2:
            return cls.whole(tensor.type, numbers, scalar=not shape)
        return cls.of(tensor.type, shape, reduce(or_, numbers) if numbers else ANY)

    @property
    def rank(self) -> int:
        """How many axes it has."""
        return len(self.shape)

    def like(self, kind: int | None = None) -> Result:
        """An array of the same shape of which nothing else is known."""
        return Result(self.type if kind is None else kind, self.shape, self.count)

    def reshaped(self, shape: Sequence[Size]) -> Result:
        """The same elements under other axes."""
        each = self.each if len(shape) < 2 else None
        return Result(self.type, tuple(shape), self.count, self.every, each)

    def numbers(self) -> tuple[Whole, ...]:
        """Its elements one by one, as shapes are given."""
        if self.each is None:
            raise GraphError(UNTOLD)
        return self.each

    def certain(self) -> list[int]:
        """Its elements where they are certain, as axes and the like must be."""
        found = [whole.number for whole in self.numbers()]
        if None in found:
            raise GraphError(UNTOLD)
        return [number for number in found if number is not None]


def broadcast(shapes: Sequence[tuple[Size, ...]]) -> tuple[Size, ...]:
    """The shape of arrays that are laid over each other: an axis of size one goes with any."""
    rank = max(map(len, shapes), default=0)
    padded = [(ONE,) * (rank - len(shape)) + shape for shape in shapes]
    return tuple(reduce(_laid_over, sizes) for sizes in zip(*padded, strict=True))


def _laid_over(one: Size, other: Size) -> Size:
    if one == ONE or other == ONE:
        return other if one == ONE else one
    return alike(one, other)


def alike(one: Size, other: Size) -> Size:
    """The size of two axes that must be of one size: an exact one tells what the other is."""
    if one.terms == other.terms:
        return one if one.exact else other
    return one | other


def either(one: Result, other: Result) -> Result:
    """Whichever of two results it will be."""
    if one.type != other.type or one.rank != other.rank:
        raise GraphError("has branches with results of different kinds")
    shape = tuple(map(or_, one.shape, other.shape))
    return Result(one.type, shape, one.count | other.count, one.every | other.every)
