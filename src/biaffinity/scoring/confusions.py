"""The types that a prediction takes for one another most often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from biaffinity.annotation import Sentence
from biaffinity.scoring.mistakes import Types, Verdicts, confusion, judge

WORST = 2
Items = Literal["entities", "relations"]


@dataclass(frozen=True, slots=True)
class Confusion:
    """So many entities or relations of one type in gold were predicted as another."""

    items: Items
    gold: str
    predicted: str
    count: int


def worst_confusions(gold: Iterable[Sentence], predicted: Iterable[Sentence]) -> tuple[Confusion, ...]:
    """The two most frequent confusions; what is missing or spurious was taken for nothing, and is none.

    >>> from biaffinity.annotation import Entity
    >>> port = Sentence(["Port", "Vane"], [Entity(0, 2, "Loc")])
    >>> worst_confusions([port], [port.annotated([Entity(0, 2, "Org")])])
    (Confusion(items='entities', gold='Loc', predicted='Org', count=1),)
    """
    verdicts = [judge(wanted, given) for wanted, given in zip(gold, predicted, strict=True)]
    ordered = sorted(_confusions(verdicts), key=lambda c: (-c.count, c.items, c.gold, c.predicted))
    return tuple(ordered[:WORST])


def _confusions(verdicts: list[Verdicts]) -> Iterator[Confusion]:
    entities = confusion(verdict for own in verdicts for verdict in own.entities)
    relations = confusion(verdict for own in verdicts for verdict in own.relations)
    counted: tuple[tuple[Items, Counter[Types]], ...] = (("entities", entities), ("relations", relations))
    for items, counts in counted:
        for (wanted, given), count in counts.items():
            if wanted is not None and given is not None and wanted != given:
                yield Confusion(items, wanted, given, count)
