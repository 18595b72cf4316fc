"""Of several runs the one that is best on dev."""

from __future__ import annotations

import json
from pathlib import Path

from tests.recipes.test_general_data import script

program = script("best_on_dev")


def run(folder: Path, ner: float, rc: float) -> Path:
    """A finished run with these scores on dev, and better ones on test."""
    folder.mkdir()
    sheets = {"dev": (ner, rc), "test": (1 - ner, 1 - rc)}
    scores = {name: {"paper": {"ner": {"f1": a}, "rc": {"f1": b}}} for name, (a, b) in sheets.items()}
    (folder / "run.json").write_text(json.dumps({"scores": scores}), encoding="utf-8")
    return folder


def test_the_best_has_the_highest_mean_of_ner_and_rc_on_dev(tmp_path: Path) -> None:
    runs = [run(tmp_path / "a", 0.9, 0.6), run(tmp_path / "b", 0.88, 0.7), run(tmp_path / "c", 0.91, 0.66)]
    assert program.best_of(runs) == runs[1]


def test_of_equals_it_is_the_first(tmp_path: Path) -> None:
    runs = [run(tmp_path / name, 0.9, 0.6) for name in "ab"]
    assert program.best_of(runs) == runs[0]
