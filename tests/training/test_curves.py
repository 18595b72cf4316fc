from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biaffinity.training.curves import draw_curves

image = pytest.importorskip("matplotlib.image", reason="curves are drawn by matplotlib")


def run(*selections: float) -> list[dict[str, Any]]:
    return [
        {
            "epoch": epoch,
            "tagger_loss": 20 / epoch,
            "relation_loss": 0.0,
            "entities": selection,
            "relations": selection,
            "selection": selection,
        }
        for epoch, selection in enumerate(selections, start=1)
    ]


@pytest.mark.parametrize("selections", [(0.0,), (0.1, 0.5, 0.4), tuple(np.linspace(0, 1, 100).tolist())])
def test_a_history_of_any_length_becomes_a_picture(selections: tuple[float, ...], tmp_path: Path) -> None:
    draw_curves(run(*selections), tmp_path / "curves.png")
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    pixels = image.imread(tmp_path / "curves.png")
    assert pixels.shape[:2] == (480, 1200)
    assert [path.name for path in tmp_path.iterdir()] == ["curves.png"]


def test_better_scores_make_another_picture(tmp_path: Path) -> None:
    draw_curves(run(0.1, 0.2, 0.3), tmp_path / "low.png")
    draw_curves(run(0.1, 0.2, 0.9), tmp_path / "high.png")
    low, high = image.imread(tmp_path / "low.png"), image.imread(tmp_path / "high.png")
    assert (low[:, :600] == high[:, :600]).all()  # the losses are the same
    assert (low[:, 600:] != high[:, 600:]).any()
