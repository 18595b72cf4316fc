"""A run's history as a picture: losses on the left, dev scores on the right."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from biaffinity.files import replacing


def draw_curves(history: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw the history's epochs into a PNG file."""
    # matplotlib is slow to import and only needed at the end of a run; Figure alone opens no window.
    from matplotlib.figure import Figure

    epochs = [line["epoch"] for line in history]
    figure = Figure(figsize=(10, 4), layout="constrained")
    losses, scores = figure.subplots(1, 2)
    losses.plot(epochs, [line["tagger_loss"] for line in history], label="tagger")
    losses.plot(epochs, [line["relation_loss"] for line in history], label="relations")
    losses.set(title="Training loss per sentence", xlabel="epoch", yscale="log")
    for key in ("entities", "relations", "selection"):
        scores.plot(epochs, [100 * line[key] for line in history], label=key)
    best = max(history, key=lambda line: float(line["selection"]))
    scores.axvline(best["epoch"], color="grey", linestyle=":", label=f"best epoch ({best['epoch']})")
    scores.set(title="Dev F1", xlabel="epoch", ylim=(0, 100))
    for axis in (losses, scores):
        axis.legend()
        axis.grid(alpha=0.3)
    with replacing(path) as neighbour:
        figure.savefig(neighbour, format="png", dpi=120)
