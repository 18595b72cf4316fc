"""All labellings of a sequence, one by one: the judge of what goes through them step by step."""

from __future__ import annotations

import itertools

import numpy as np

from biaffinity.decoding.arrays import Floats
from biaffinity.decoding.crf import CRFDecoder


def score(decoder: CRFDecoder, emissions: Floats, labels: tuple[int, ...]) -> float:
    """The score of one labelling, by its definition; emissions [length, labels]."""
    total = float(decoder.start[labels[0]]) + float(decoder.end[labels[-1]])
    total += sum(float(emissions[t, label]) for t, label in enumerate(labels))
    return total + sum(float(decoder.transitions[a, b]) for a, b in itertools.pairwise(labels))


def labellings(decoder: CRFDecoder, emissions: Floats) -> dict[tuple[int, ...], float]:
    """Every labelling with its probability."""
    every = list(itertools.product(range(emissions.shape[1]), repeat=len(emissions)))
    weights = np.exp([score(decoder, emissions, labels) for labels in every])
    return dict(zip(every, weights / weights.sum(), strict=True))
