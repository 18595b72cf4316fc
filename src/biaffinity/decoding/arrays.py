"""The kinds of array that packages without PyTorch speak."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def padded(flat: Ints, lengths: Ints) -> Ints:
    """Values of several sequences, one after the other, as rows of one length; padding is 0.

    >>> padded(np.array([3, 4, 5]), np.array([1, 2])).tolist()
    [[3, 0], [4, 5]]
    """
    inside = np.arange(lengths.max()) < lengths[:, None]
    rows = np.zeros(inside.shape, dtype=np.int64)
    rows[inside] = flat
    return rows
