"""Gold, predicted and correct items, counted once per metric, sentence and type.

Everything later, totals and resamples alike, comes from these counts.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from biaffinity.annotation import Sentence
from biaffinity.scoring.averages import Array
from biaffinity.scoring.matching import METRICS, Cell, Found
from biaffinity.scoring.pairing import paired


class Ledger:
    """The items of one metric, each with its sentence, its type and its column.

    Columns are 0 gold, 1 predicted, 2 correct. An item is one entry in two parallel arrays, so that
    memory grows with the items and not with sentences times types.
    """

    def __init__(self) -> None:
        self._types: dict[str, int] = {}
        self._sentences = array("i")
        self._places = array("i")  # 3 * type + column

    def add(self, sentence: int, found: Found) -> None:
        """Enter what a metric found in one sentence."""
        types, sentences, places = self._types, self._sentences, self._places
        for column, names in enumerate(found):
            for name in names:
                sentences.append(sentence)
                places.append(3 * types.setdefault(name, len(types)) + column)

    @property
    def types(self) -> list[str]:
        """The types that occur, by name: sums over types are then the same for any sentence order."""
        return sorted(self._types)

    def totals(self) -> Array:
        """Counts [types, 3], types as in `types`."""
        width = 3 * len(self._types)
        counts = np.bincount(np.asarray(self._places), minlength=width).reshape(-1, 3)
        return counts[[self._types[name] for name in self.types]].astype(np.float64)

    def per_sentence(self, sentences: int, types: Sequence[str]) -> Array:
        """Counts [sentences, types, 3] for the given types, which include all that occur."""
        column = {name: index for index, name in enumerate(types)}
        order = np.array([column[name] for name in self._types], dtype=np.int64)
        places = np.asarray(self._places, dtype=np.int64)
        places = 3 * order[places // 3] + places % 3 if len(places) else places
        width = 3 * len(types)
        cells = np.asarray(self._sentences, dtype=np.int64) * width + places
        counts = np.bincount(cells, minlength=sentences * width)
        return counts.reshape(sentences, len(types), 3).astype(np.float64)


@dataclass(slots=True)
class Tally:
    """What was counted of one prediction against gold: a ledger per metric.

    ``sentences`` is how many were counted, ``excluded`` the ids of those that were left out.
    """

    sentences: int = 0
    excluded: set[str] = field(default_factory=set)
    ledgers: dict[Cell, Ledger] = field(default_factory=lambda: {metric: Ledger() for metric in METRICS})


def count(gold: Iterable[Sentence], predicted: Iterable[Sentence], *, exclude: Collection[str] = ()) -> Tally:
    """Count a prediction against gold, both streams in step; sentences with an excluded id are left out."""
    tally, excluded_ids = Tally(), frozenset(exclude)
    entries = [(metric, tally.ledgers[path]) for path, metric in METRICS.items()]
    for wanted, given in paired(gold, predicted):
        if wanted.id in excluded_ids:
            tally.excluded.add(wanted.id)
            continue
        for metric, ledger in entries:
            ledger.add(tally.sentences, metric(wanted, given))
        tally.sentences += 1
    return tally
