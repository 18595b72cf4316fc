"""How far an F1 might lie from what was measured: sentences drawn anew, with replacement.

A resample is a weight per sentence, so that all resamples of a metric are one product of matrices.
Each gets the score that its sentences, written out, would get from `biaffinity.scoring.score`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from biaffinity.errors import UsageError
from biaffinity.scoring.averages import Array
from biaffinity.scoring.matching import Cell
from biaffinity.scoring.sheet import OTHER, ScoreSheet, cells
from biaffinity.scoring.tally import Tally

LEVEL = 0.95
_BLOCK = 4_000_000  # weights held at a time: 32 MB


def with_intervals(
    tally: Tally, *, other: Collection[str] = OTHER, samples: int = 1000, seed: int = 0
) -> ScoreSheet:
    """The score sheet with a 95 % interval for every F1: percentiles over bootstrap resamples.

    The same seed gives the same intervals.
    """
    types = {path: ledger.types for path, ledger in tally.ledgers.items()}
    counts = per_sentence(tally, types)
    f1s = joined(
        {path: cell.f1 for path, cell in cells(redrawn(counts, weights), types, other).items()}
        for weights in drawn(tally.sentences, samples, np.random.default_rng(seed))
    )
    edges = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
    intervals = {}
    for path, values in f1s.items():
        low, high = np.quantile(values, edges)
        intervals[path] = (float(low), float(high))
    return replace(ScoreSheet.of(tally, other=other), intervals=intervals)


def per_sentence(tally: Tally, types: Mapping[Cell, Sequence[str]]) -> dict[Cell, Array]:
    """The counts [sentences, types, 3] of every metric."""
    return {path: ledger.per_sentence(tally.sentences, types[path]) for path, ledger in tally.ledgers.items()}


def drawn(sentences: int, samples: int, random: np.random.Generator) -> Iterator[Array]:
    """Bootstrap weights [block, sentences]: how often each resample drew each sentence."""
    for size in block_sizes(sentences, samples):
        picks = random.integers(sentences, size=(size, sentences)) if sentences else np.zeros((size, 0), int)
        picks += sentences * np.arange(size)[:, None]
        weights = np.bincount(picks.ravel(), minlength=size * sentences)
        yield weights.reshape(size, sentences).astype(np.float64)


def redrawn(counts: Mapping[Cell, Array], weights: Array) -> dict[Cell, Array]:
    """Totals [block, types, 3] of every metric's counts under weights [block, sentences]."""
    return {path: weighted(table, weights) for path, table in counts.items()}


def weighted(counts: Array, weights: Array) -> Array:
    """Totals [block, types, 3] of counts [sentences, types, 3] under weights [block, sentences]."""
    sentences, types, columns = counts.shape
    totals = weights @ counts.reshape(sentences, types * columns)
    return totals.reshape(len(weights), types, columns)


def block_sizes(sentences: int, samples: int) -> Iterator[int]:
    """Sizes that add up to ``samples``, each small enough for memory."""
    if samples < 1:
        raise UsageError(f"{samples} resamples are too few", remedy="use 1000 or more")
    block = max(1, _BLOCK // max(1, sentences))
    for start in range(0, samples, block):
        yield min(block, samples - start)


def joined(blocks: Iterable[Mapping[Cell, Array]]) -> dict[Cell, Array]:
    """Blocks of values [block] of every cell, one after the other [samples]."""
    tables = list(blocks)
    return {path: np.concatenate([table[path] for table in tables]) for path in tables[0]}
