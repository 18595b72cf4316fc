"""Tables: which number stands where, what is starred, and what is said to be missing."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("scipy", reason="needs the extra stats")

from biaffinity.experiments import tables
from biaffinity.experiments.series import Series, read_all
from biaffinity.experiments.tables import Table
from experiments import records

FULL = {1: (87.0, 67.0), 2: (87.4, 66.0), 3: (86.6, 68.0)}


def series(folder: Path, *, corpus: dict[str, str] = records.CORPUS) -> Series:
    """Three variants of setup 1; RC is clearly worse, by 2 with little spread, without characters."""
    matrix = {
        ("full", 1): FULL,
        ("no-characters", 1): {1: (87.1, 65.0), 2: (87.2, 64.1), 3: (86.7, 65.9)},
        ("softmax", 1): {1: (82.0, 66.0), 2: (82.5, 67.0), 7: (1.0, 1.0)},
    }
    return Series.read(records.write_matrix(folder, matrix, corpus=corpus))


def row(table: Table, name: str) -> dict[str, str]:
    """A row by its column's names."""
    cells = next(cells for cells in table.rows if name in cells[0])
    assert len(cells) == len(table.columns)
    return {
        f"{group} {column}".strip(): cell for (group, column), cell in zip(table.columns, cells, strict=True)
    }


def test_table_1_sets_ours_under_the_paper_s_with_the_difference(tmp_path: Path) -> None:
    runs = {("full", 1): FULL, ("full", 2): {1: (94.6, 69.0)}}
    table = tables.test_table([Series.read(records.write_matrix(tmp_path / "ours", runs))])
    assert table.rows == [
        ["Nguyen & Verspoor (2019)", "10", "86.2 (0.5)", "64.4 (0.6)", "93.8 (0.4)", "69.6 (0.7)"],
        ["ours", "3 / 1", "87.0 (0.4)", "67.0 (1.0)", "94.6", "69.0"],
        ["difference", "", "+0.8", "+2.6", "+0.8", "-0.6 ✓"],
        ["p", "", "0.045", "0.035", "–", "–"],
    ]


def test_several_folders_share_table_1(tmp_path: Path) -> None:
    folders = [records.write_matrix(tmp_path / name, {("full", 1): FULL}) for name in "ab"]
    table = tables.test_table(read_all(folders))
    names = [cells[0] for cells in table.rows]
    assert names == [tables.PAPER, "a", "difference", "p", "b", "difference", "p"]


def test_beside_another_corpus_the_paper_is_left_out(tmp_path: Path) -> None:
    ours = series(tmp_path / "ours", corpus=records.OTHER_CORPUS)
    assert [cells[0] for cells in tables.test_table([ours]).rows] == ["ours"]
    assert ("NER", "paper") not in tables.ablation_table(ours, 1).columns


def test_table_2_stars_what_differs_from_full_over_common_seeds(tmp_path: Path) -> None:
    table = tables.ablation_table(series(tmp_path), 1)
    assert len(table.rows) == 7
    worse = row(table, "no character")
    assert worse["RC ours"] == "65.0 (0.9)**"
    assert worse["NER ours"] == "87.0 (0.3)"
    assert worse["RC paper"] == "63.0 (0.7)"
    assert worse["RC difference"] == "+2.0"
    assert row(table, "full")["RC difference"] == "+0.1 ✓"


def test_missing_cells_are_shown_and_named(tmp_path: Path) -> None:
    table = tables.ablation_table(series(tmp_path), 1)
    assert row(table, "pipeline") == {
        "variant": "pipeline",
        "seeds": "–",
        "NER paper": "87.3 (0.6)",
        "NER ours": "–",
        "NER difference": "–",
        "RC paper": "66.3 (0.8)",
        "RC ours": "–",
        "RC difference": "–",
    }
    assert "Setup 1, not run: pipeline; no entity embeddings; linear only; bilinear only." in table.notes
    assert "Setup 1, softmax instead of CRF: only seeds 1, 2, 7 of 1-3, 7." in table.notes
    assert "Setup 1, softmax instead of CRF: tested over the seeds it shares with full, 1, 2." in table.notes


def test_one_common_seed_is_no_test_and_that_is_said(tmp_path: Path) -> None:
    matrix = {("full", 1): FULL, ("softmax", 1): {1: (1.0, 1.0), 9: (1.0, 2.0)}}
    table = tables.ablation_table(Series.read(records.write_matrix(tmp_path, matrix)), 1)
    assert row(table, "softmax")["RC ours"] == "1.5 (0.7)"
    assert any("fewer than two seeds in common" in note for note in table.notes)


def test_the_ablation_on_test_has_stars_too(tmp_path: Path) -> None:
    table = tables.ablation_on_test(series(tmp_path))
    assert row(table, "no character")["setup 1 RC"] == "65.0 (0.9)**"
    assert row(table, "full")["setup 1 NER"] == "87.0 (0.4)"


def test_the_matrix_has_every_average_of_every_part(tmp_path: Path) -> None:
    table = tables.matrix_table(series(tmp_path))
    assert table.columns[1:] == [("setup 1", "dev"), ("setup 1", "test")]
    assert len(table.rows) == len(tables.MATRIX)
    assert row(table, "(the paper's RC)")["setup 1 test"] == "67.0 (1.0)"
    assert row(table, "relations, boundaries, micro")["setup 1 dev"] == "100.0 (0.0)"


def test_costs_are_means_with_the_shortest_and_longest(tmp_path: Path) -> None:
    cost = row(tables.cost_table(series(tmp_path)), "full")
    assert cost["setup 1 seconds"] == "14 (13 to 15)"
    assert cost["setup 1 best epoch"] == "2 (2 to 2)"


def test_a_folder_of_full_networks_alone_has_no_ablation(tmp_path: Path) -> None:
    ours = Series.read(records.write_matrix(tmp_path, {("full", 1): FULL}))
    titles = [table.title for table in tables.all_tables([ours])]
    assert titles == ["The paper's Table 1: test", "Every average, joint, full", "Seconds per run"]


def test_two_whole_ablations_stand_side_by_side_with_how_well_they_fit(tmp_path: Path) -> None:
    folders = [records.write_paper(tmp_path / "same"), records.write_paper(tmp_path / "higher", shift=2.0)]
    both = read_all(folders)
    titles = [table.title for table in tables.all_tables(both)]
    assert sum("beside ours" in title for title in titles) == 2
    beside = row(tables.matrices_table(both, 1), "softmax")
    assert beside["RC paper"] == "66.0 (0.8)*"
    assert (beside["RC same"], beside["RC higher"]) == ("66.0 (0.8)**", "68.0 (0.8)**")
    fits = tables.fit_table(both)
    assert row(fits, "mean absolute difference") == {
        "": "mean absolute difference",
        "same": "0.00",
        "higher": "2.00",
    }


def test_a_whole_ablation_alone_has_its_fit_and_no_table_of_two(tmp_path: Path) -> None:
    ours = Series.read(records.write_paper(tmp_path))
    titles = [table.title for table in tables.all_tables([ours])]
    assert any("is met" in title for title in titles)
    assert not any("beside ours" in title for title in titles)
