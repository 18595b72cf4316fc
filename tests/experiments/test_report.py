"""The report's files: all there, well-formed, and the same each time."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("matplotlib", reason="needs the extra train")
pytest.importorskip("scipy", reason="needs the extra stats")

from biaffinity.experiments.report import write_report
from biaffinity.experiments.runs import gather
from experiments import records

MATRIX = {
    ("full", 1): {1: (87.0, 67.0), 2: (87.4, 66.0)},
    ("softmax", 1): {1: (86.0, 66.0), 2: (86.4, 66.5)},
    ("full", 2): {1: (93.0, 72.0)},
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The files of a report on three cells, by name."""
    folder = tmp_path_factory.mktemp("runs") / "ours"
    records.write_matrix(folder, MATRIX)
    tables, files = write_report([folder], folder / "report")
    assert (folder / "report" / "tables.md").read_text() == tables
    return {path.name: path for path in files}


def test_tables_and_pictures_are_written(report: dict[str, Path]) -> None:
    pictures = ["seeds-dev-ours", "seeds-test-ours", "curves-setup1-ours", "curves-setup2-ours"]
    assert {*report} == {
        "tables.md",
        "tables.tex",
        "report.html",
        *(f"{name}.{kind}" for name in pictures for kind in ("svg", "png")),
    }
    assert all(path.stat().st_size for path in report.values())


def test_pictures_are_what_their_names_say(report: dict[str, Path]) -> None:
    for name, path in report.items():
        if name.endswith(".svg"):
            assert ET.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"
        if name.endswith(".png"):
            assert path.read_bytes().startswith(b"\x89PNG")


def test_where_the_numbers_come_from_is_said(report: dict[str, Path]) -> None:
    text = report["tables.md"].read_text()
    assert "ours: 5 runs of paper.toml, seeds 1, 2; sentences: dev 1, test 1." in text
    assert "ours: commit abc123; Abacus, 2 cores; torch 2.0." in text


def test_the_same_runs_give_the_same_files(report: dict[str, Path], tmp_path: Path) -> None:
    _, again = write_report([report["tables.md"].parents[1]], tmp_path)
    for path in again:
        assert path.read_bytes() == report[path.name].read_bytes(), path.name


def test_gathered_runs_give_the_same_files_as_their_folder(report: dict[str, Path], tmp_path: Path) -> None:
    gather([report["tables.md"].parents[1]], tmp_path / "ours.jsonl")
    _, again = write_report([tmp_path / "ours.jsonl"], tmp_path / "report")
    assert {path.name for path in again} == {*report}
    for path in again:
        assert path.read_bytes() == report[path.name].read_bytes(), path.name


def test_runs_without_history_or_test_are_reported_too(tmp_path: Path) -> None:
    run = records.write_run(tmp_path / "runs" / "a", test=None)
    (run / "history.jsonl").unlink()
    _, files = write_report([tmp_path / "runs"], tmp_path / "report")
    assert {path.name for path in files if path.suffix == ".svg"} == {"seeds-dev-runs.svg"}
