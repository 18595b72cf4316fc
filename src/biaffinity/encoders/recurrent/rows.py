"""Rows of word vectors, looked up by number: as they are, or as whole numbers of 8 bits with a scale each.

A scale has four significant bits, a whole number seven: their product has eleven at most, as many as half
precision holds. So rows that were read back are the same to the bit in half and in single precision.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from biaffinity.decoding.arrays import Array, Floats, Ints

#: What is added to the name of a tensor of whole numbers for that of its scales.
SCALES = ".scales"
#: The smallest scale, so that no product is too small for half precision.
_SMALLEST = 2.0**-10


@dataclass(frozen=True, slots=True)
class Rows:
    """Numbers [rows, size]; ``scales`` [rows] where they are whole ones."""

    numbers: Array
    scales: Array | None = None

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, chosen: Ints) -> Floats:
        """Some rows in single precision, [..., size]."""
        rows: Floats = self.numbers[chosen].astype(np.float32)
        if self.scales is not None:
            rows *= self.scales[chosen].astype(np.float32)[..., None]
        return rows


def in_whole_numbers(rows: npt.NDArray[np.floating]) -> Rows:
    """Rows as whole numbers: the largest of each is 113 to 127, or less where all are tiny.

    >>> kept = in_whole_numbers(np.array([[0.5, -1.0, 0.0]]))
    >>> kept.numbers.tolist(), kept[np.array([0])].round(2).tolist()
    ([[57, -114, 0]], [[0.5, -1.0, 0.0]])
    """
    largest = np.abs(rows).max(axis=1, initial=0).astype(np.float64)
    fraction, exponent = np.frexp(np.maximum(largest / 127, _SMALLEST))
    scales = np.ldexp(np.ceil(fraction * 16) / 16, exponent)
    return Rows(np.rint(rows / scales[:, None]).astype(np.int8), scales.astype(np.float16))
