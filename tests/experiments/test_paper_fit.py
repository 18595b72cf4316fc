"""How well a series fits the paper: the paper itself fits perfectly, and each measure sees what it is for."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("scipy", reason="needs the extra stats")

from biaffinity.experiments.paper_fit import PLACES, fit_of
from biaffinity.experiments.paper_scores import DEV, MARKS
from biaffinity.experiments.series import Series
from experiments import records

SEEDS = (1, 2, 3)


def series(folder: Path, change: dict[tuple[str, int], tuple[float, float]]) -> Series:
    """Three seeds without spread at the paper's means, some of them changed; steps keep tests possible."""
    scores = {
        (variant, setup): {
            seed: tuple(
                cell.mean + more + 0.001 * seed
                for cell, more in zip(pair, change.get((variant, setup), (0.0, 0.0)), strict=True)
            )
            for seed in SEEDS
        }
        for (setup, variant), pair in DEV.items()
    }
    return Series.read(records.write_matrix(folder, scores))


def test_the_paper_s_own_means_fit_perfectly(tmp_path: Path) -> None:
    fit = fit_of(Series.read(records.write_paper(tmp_path)))
    assert fit is not None
    assert (fit.shift, fit.distance, fit.effect_distance) == pytest.approx((0, 0, 0), abs=1e-9)
    assert fit.within == len(PLACES) == 28
    assert fit.rank_correlation == pytest.approx(1)
    assert fit.column_rank_correlation == pytest.approx(1)


def test_a_shift_of_all_cells_changes_levels_and_not_effects(tmp_path: Path) -> None:
    fit = fit_of(Series.read(records.write_paper(tmp_path, shift=-2.0)))
    assert fit is not None
    assert (fit.shift, fit.distance, fit.effect_distance) == pytest.approx((-2, 2, 0), abs=1e-9)
    assert fit.within == 0
    assert fit.rank_correlation == pytest.approx(1)


def test_a_variant_that_is_off_changes_effects(tmp_path: Path) -> None:
    fit = fit_of(series(tmp_path, {("softmax", 1): (-12.0, 6.0)}))
    assert fit is not None
    assert fit.distance == pytest.approx(18 / 28, abs=0.01)
    assert fit.shift == pytest.approx(-6 / 28, abs=0.01)
    assert fit.effect_distance == pytest.approx(18 / 24, abs=0.01)
    assert fit.within == 26
    assert fit.column_rank_correlation < fit.rank_correlation < 1


def test_stars_agree_where_both_or_neither_have_some(tmp_path: Path) -> None:
    fit = fit_of(series(tmp_path, {}))
    assert fit is not None
    # Without spread every cell whose mean differs from full's is starred twice.
    unlike = {
        (setup, variant, of)
        for setup, variant, of in PLACES
        if DEV[setup, variant][of == "relations"].mean != DEV[setup, "full"][of == "relations"].mean
    }
    marks = {
        (setup, variant, of): mark
        for (setup, variant), pair in MARKS.items()
        for of, mark in zip(("entities", "relations"), pair, strict=True)
        if mark
    }
    once = [place for place, mark in marks.items() if mark == "*"]
    assert fit.tests == 24
    assert fit.agreeing_stars == 24 - len(unlike ^ marks.keys())
    assert fit.same_stars == 24 - len(unlike ^ marks.keys()) - len(once)


def test_a_missing_cell_or_another_corpus_is_no_fit(tmp_path: Path) -> None:
    other = records.write_paper(tmp_path / "other", corpus=records.OTHER_CORPUS)
    assert fit_of(Series.read(other)) is None
    some = records.write_matrix(tmp_path / "some", {("full", 1): {1: (87.0, 67.0)}})
    assert fit_of(Series.read(some)) is None
