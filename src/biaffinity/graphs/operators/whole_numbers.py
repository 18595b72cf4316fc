"""What becomes of whole numbers, which shapes are made of: arithmetic with bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from biaffinity.graphs.onnx_file import INT64
from biaffinity.graphs.results import Result, broadcast
from biaffinity.graphs.sizes import ANY, Size, Whole


def together(parts: Sequence[Result], combine: Callable[[Whole, Whole], Whole]) -> Result:
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


def mapped(values: Result, change: Callable[[Whole], Whole]) -> Result:
    """An array whose whole numbers are changed one by one."""
    if values.type != INT64:
        return values.like()
    each = tuple(map(change, values.each)) if values.each is not None else None
    return Result(values.type, values.shape, values.count, change(values.every), each)


def plus(one: Whole, other: Whole) -> Whole:
    """The bounds of a sum."""
    low = None if one.low is None or other.low is None else one.low + other.low
    return Whole(low, None if one.high is None or other.high is None else one.high + other.high)


def minus(one: Whole, other: Whole) -> Whole:
    """The bounds of a difference."""
    # What is taken away may be as small as its lower bound; how large it may be is known of numbers only.
    number = other.high.number if other.high is not None else None
    low = None if one.low is None or number is None else one.low - number
    if one.high is None or other.low is None:
        return Whole(low, None)
    if number is None:
        return Whole(low, (one.high + Size.of(-other.low)).at_most)
    return Whole(low, one.high + Size.of(-number))


def times(one: Whole, other: Whole) -> Whole:
    """The bounds of a product."""
    if one.number is not None and other.number is not None:
        return Whole.of(one.number * other.number)
    if one.low is None or other.low is None or min(one.low, other.low) < 0:
        return ANY
    high = None if one.high is None or other.high is None else one.size * other.size
    return Whole(one.low * other.low, high)


def divided(one: Whole, other: Whole) -> Whole:
    """The bounds of a quotient."""
    if one.low is None or one.low < 0 or other.low is None or other.low < 1:
        return ANY
    return Whole(0, None if one.high is None else one.high.at_most)


def larger(one: Whole, other: Whole) -> Whole:
    """The bounds of the larger of two."""
    lows = [low for low in (one.low, other.low) if low is not None]
    return Whole(max(lows, default=None), (one | other).high)


def smaller(one: Whole, other: Whole) -> Whole:
    """The bounds of the smaller of two: by either, by the one that is a number, if one is."""
    highs = [high for high in (one.high, other.high) if high is not None]
    high = next((high for high in highs if high.number is not None), highs[0] if highs else None)
    return Whole((one | other).low, None if high is None else high.at_most)
