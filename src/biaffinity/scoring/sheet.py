"""The score sheet: every cell of the matrix, each under its own name.

| cell | correct if | average |
|---|---|---|
| `ner` | boundaries and type are right | `micro`, `macro`, `macro_no_other`, `per_type` |
| `ner.boundaries` | boundaries are right | the spans as one type |
| `ec` | at least one token has the right type | as `ner` |
| `re.strict` | type, direction, boundaries and types of both arguments are right | as `ner` |
| `re.boundaries` | type, direction and boundaries of both arguments are right | as `ner` |
| `paper.ner` | as `ner` | macro without Other |
| `paper.ec` | as `ec` | macro without Other |
| `paper.rc` | as `re.strict` | macro |
| `paper.rc_released` | type, direction and last tokens of both arguments are right | macro |

The `paper` cells are the four numbers of Nguyen & Verspoor (2019) under the names they have there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from biaffinity.annotation import Sentence
from biaffinity.scoring.averages import Array, Rates, macro, micro, rates
from biaffinity.scoring.confusions import Confusion, worst_confusions
from biaffinity.scoring.matching import (
    EC,
    NER,
    NER_BOUNDARIES,
    RC_RELEASED,
    RE_BOUNDARIES,
    RE_STRICT,
    Cell,
)
from biaffinity.scoring.tally import Tally, count

OTHER = ("Other",)
BY_TYPE = (NER, EC, RE_STRICT, RE_BOUNDARIES)
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Score:
    """One cell: rates as fractions, counts as whole numbers (of a macro average: means and totals)."""

    precision: float
    recall: float
    f1: float
    gold: int
    predicted: int
    correct: int

    @classmethod
    def of(cls, cell: Rates) -> Score:
        """A cell without leading axes as plain numbers."""
        return cls(
            precision=float(cell.precision),
            recall=float(cell.recall),
            f1=float(cell.f1),
            gold=int(cell.gold),
            predicted=int(cell.predicted),
            correct=int(cell.correct),
        )


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """All scores of one prediction, by the path of their cell.

    >>> from biaffinity.annotation import Entity
    >>> gold = Sentence(["Ada", "Ville"], [Entity(0, 1, "Peop"), Entity(1, 2, "Loc")])
    >>> sheet = score([gold], [gold.annotated([Entity(0, 1, "Peop"), Entity(1, 2, "Org")])])
    >>> sheet["ner", "micro"].f1, sheet["ner", "boundaries"].f1, sheet["ner", "per_type", "Loc"].gold
    (0.5, 1.0, 1)

    ``intervals`` holds the confidence interval of every F1 once it has been worked out
    (`biaffinity.scoring.with_intervals`); ``confusions`` the types most often taken for one another, where
    they were asked for.
    """

    scores: Mapping[Cell, Score]
    sentences: int
    other: tuple[str, ...]
    intervals: Mapping[Cell, Interval] = field(default_factory=dict)
    confusions: tuple[Confusion, ...] = ()

    @classmethod
    def of(cls, tally: Tally, *, other: Collection[str] = OTHER) -> ScoreSheet:
        """The score sheet of what was counted."""
        totals = {path: ledger.totals() for path, ledger in tally.ledgers.items()}
        types = {path: ledger.types for path, ledger in tally.ledgers.items()}
        scores = {path: Score.of(cell) for path, cell in cells(totals, types, other).items()}
        return cls(scores, tally.sentences, tuple(sorted(other)))

    def __repr__(self) -> str:
        entities, relations = (100 * self[path].f1 for path in (("ner", "micro"), ("re", "strict", "micro")))
        scores = f"strict micro F1: entities {entities:.1f}, relations {relations:.1f}"
        return f"ScoreSheet({self.sentences:,} sentence{'s' * (self.sentences != 1)}, {scores})"

    def __getitem__(self, path: Cell) -> Score:
        return self.scores[path]

    def headline(self, *, boundaries_given: bool = False) -> float:
        """What the paper selects epochs by: (NER + RC) / 2, or (EC + RC) / 2 where boundaries are given."""
        entities = self["paper", "ec"] if boundaries_given else self["paper", "ner"]
        return (entities.f1 + self["paper", "rc"].f1) / 2

    def to_dict(self) -> dict[str, Any]:
        """The sheet as nested JSON objects, ``sheet["re"]["strict"]["micro"]["f1"]`` and so on."""
        leaves: dict[Cell, dict[str, Any]] = {(*metric, "per_type"): {} for metric in BY_TYPE}
        leaves |= {path: asdict(score) for path, score in self.scores.items()}
        for path, interval in self.intervals.items():
            leaves[path]["f1_interval"] = list(interval)
        return {"sentences": self.sentences, "other": list(self.other), **nested(leaves)}


def score(
    gold: Iterable[Sentence],
    predicted: Iterable[Sentence],
    *,
    other: Collection[str] = OTHER,
    exclude: Collection[str] = (),
) -> ScoreSheet:
    """Score a prediction against gold; both hold the same sentences in the same order.

    Types in ``other`` stay out of ``macro_no_other`` and of the paper's numbers; sentences whose id is
    in ``exclude`` are not scored.
    """
    return ScoreSheet.of(count(gold, predicted, exclude=exclude), other=other)


def score_with_confusions(gold: Sequence[Sentence], predicted: Sequence[Sentence]) -> ScoreSheet:
    """The same, and the types most often taken for one another: what costs more than the counts."""
    return replace(score(gold, predicted), confusions=worst_confusions(gold, predicted))


def cells(
    counts: Mapping[Cell, Array], types: Mapping[Cell, Sequence[str]], other: Collection[str]
) -> dict[Cell, Rates]:
    """Every cell of the sheet from the counts [..., types, 3] of every metric."""
    table: dict[Cell, Rates] = {}
    for metric in BY_TYPE:
        kept = [index for index, name in enumerate(types[metric]) if name not in other]
        table[(*metric, "micro")] = micro(counts[metric])
        table[(*metric, "macro")] = macro(counts[metric])
        table[(*metric, "macro_no_other")] = macro(counts[metric][..., kept, :])
        for index, name in enumerate(types[metric]):
            table[(*metric, "per_type", name)] = rates(counts[metric][..., index, :])
    table[NER_BOUNDARIES] = micro(counts[NER_BOUNDARIES])
    table["paper", "ner"] = table["ner", "macro_no_other"]
    table["paper", "ec"] = table["ec", "macro_no_other"]
    table["paper", "rc"] = table["re", "strict", "macro"]
    table[RC_RELEASED] = macro(counts[RC_RELEASED])
    return table


def nested(leaves: Mapping[Cell, Any]) -> dict[str, Any]:
    """Paths as nested dictionaries.

    >>> nested({("ner", "micro"): 1, ("ner", "per_type", "U.S."): 2})
    {'ner': {'micro': 1, 'per_type': {'U.S.': 2}}}
    """
    tree: dict[str, Any] = {}
    for (*branches, name), leaf in leaves.items():
        place = tree
        for branch in branches:
            place = place.setdefault(branch, {})
        place[name] = leaf
    return tree
