"""What a network found in a batch, as arrays: one shape for every runtime."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from biaffinity.encoding.batches import Pairs
from biaffinity.encoding.labels import Spans

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Decoded:
    """Entities with scores, and relations between them with scores."""

    spans: Spans
    span_scores: Floats
    pairs: Pairs
    pair_scores: Floats
