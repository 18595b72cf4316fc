"""Precision, recall and F1 from counts, and their averages over types.

Counts are arrays [..., 3] of (gold, predicted, correct); the leading axes, if any, are resamples.
A rate whose denominator is zero is zero: nothing predicted has precision 0, nothing in gold has
recall 0, and F1 is 0 where nothing is correct.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rates:
    """Rates as fractions, and the counts they came from; each an array of the leading axes."""

    precision: Array
    recall: Array
    f1: Array
    gold: Array
    predicted: Array
    correct: Array


def rates(counts: Array) -> Rates:
    """Precision, recall and F1 of counts [..., 3].

    >>> float(rates(np.array([4.0, 2.0, 1.0])).f1)  # 2 * correct / (gold + predicted)
    0.3333333333333333
    """
    gold, predicted, correct = counts[..., 0], counts[..., 1], counts[..., 2]
    return Rates(
        precision=_divide(correct, predicted),
        recall=_divide(correct, gold),
        f1=_divide(2 * correct, gold + predicted),
        gold=gold,
        predicted=predicted,
        correct=correct,
    )


def micro(counts: Array) -> Rates:
    """The rates of all types [..., types, 3] thrown together."""
    return rates(counts.sum(axis=-2))


def macro(counts: Array) -> Rates:
    """The mean of each rate over types [..., types, 3]; F1 is the mean of the F1s. Counts are totals.

    The mean is over the types that occur, in gold or in the prediction: a type that is predicted
    and never in gold has F1 0 and pulls the mean down; a type that occurs on neither side has no
    say.
    """
    each, total = rates(counts), counts.sum(axis=-2)
    occurring = ((each.gold + each.predicted) > 0).sum(axis=-1).astype(np.float64)
    return Rates(
        precision=_divide(each.precision.sum(axis=-1), occurring),
        recall=_divide(each.recall.sum(axis=-1), occurring),
        f1=_divide(each.f1.sum(axis=-1), occurring),
        gold=total[..., 0],
        predicted=total[..., 1],
        correct=total[..., 2],
    )


def _divide(numerator: Array, denominator: Array) -> Array:
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator != 0)
