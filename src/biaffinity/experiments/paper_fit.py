"""How well a series of the whole ablation agrees with the paper's Table 2, over its 28 cells."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from biaffinity.experiments.cells import Cell
from biaffinity.experiments.paper_scores import DEV, paper_mark
from biaffinity.experiments.series import HEADLINE, Series
from biaffinity.experiments.variants import FULL, VARIANTS

Place = tuple[int, str, str]

#: A cell's setup, variant, and whether it is of entities or relations; column by column.
PLACES: list[Place] = [
    (setup, name, of) for setup in (1, 2) for of in ("entities", "relations") for name in VARIANTS
]


@dataclass(frozen=True, slots=True)
class Fit:
    """Means against the paper's, in points of F1, and tests against the paper's stars."""

    #: Mean difference from the paper's cells, and the mean of its size.
    shift: float
    distance: float
    #: Cells within one of the paper's deviations.
    within: int
    #: Spearman's rank correlation over all cells, and the mean of those within the four columns.
    rank_correlation: float
    column_rank_correlation: float
    #: What a variant gains or loses against full: how far that is from the paper's, in the mean.
    effect_distance: float
    #: Cells that are starred here and there, or neither here nor there; and those with as many stars.
    agreeing_stars: int
    same_stars: int
    #: Cells that could have stars.
    tests: int


def fit_of(series: Series) -> Fit | None:
    """How well a series fits; None where it lacks a cell, or the corpus is another."""
    cells = {place: _cell(series, place) for place in PLACES}
    if not series.on_paper_corpus or not all(cell.values for cell in cells.values()):
        return None
    ours = {place: cell.mean for place, cell in cells.items()}
    paper = {place: DEV[place[0], place[1]][0 if place[2] == "entities" else 1] for place in PLACES}
    differences = [ours[place] - paper[place].mean for place in PLACES]
    effects, stars = [], []
    for place in PLACES:
        setup, name, of = place
        if name == FULL.name:
            continue
        full = (setup, FULL.name, of)
        effects.append(ours[place] - ours[full] - (paper[place].mean - paper[full].mean))
        test = cells[place].against(cells[full])
        stars.append((test.stars if test else "", paper_mark(setup, name, of)))
    columns = [PLACES[start : start + len(VARIANTS)] for start in range(0, len(PLACES), len(VARIANTS))]

    def correlation(places: Sequence[Place]) -> float:
        from scipy.stats import spearmanr

        return float(spearmanr([ours[p] for p in places], [paper[p].mean for p in places]).statistic)

    return Fit(
        shift=statistics.fmean(differences),
        distance=statistics.fmean(map(abs, differences)),
        within=sum(paper[place].holds(ours[place]) for place in PLACES),
        rank_correlation=correlation(PLACES),
        column_rank_correlation=statistics.fmean(map(correlation, columns)),
        effect_distance=statistics.fmean(map(abs, effects)),
        agreeing_stars=sum(bool(here) == bool(there) for here, there in stars),
        same_stars=sum(here == there for here, there in stars),
        tests=len(stars),
    )


def _cell(series: Series, place: Place) -> Cell:
    setup, name, of = place
    return Cell(series.values(VARIANTS[name], setup, "dev", HEADLINE[setup, of]))
