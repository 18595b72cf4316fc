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
    from matplotlib.ticker import MaxNLocator

    epochs = [line["epoch"] for line in history]
    marker = "." if len(epochs) <= 20 else None  # one epoch alone draws no line
    figure = Figure(figsize=(10, 4), layout="constrained")
    losses, scores = figure.subplots(1, 2)
    for key, label in (("tagger_loss", "tagger"), ("relation_loss", "relations")):
        losses.plot(epochs, [line[key] for line in history], marker=marker, label=label)
    losses.set(title="Training loss per sentence", xlabel="epoch", yscale="log")
    for key, label in (("entities", "entities"), ("relations", "relations"), ("selection", "mean of both")):
        scores.plot(epochs, [100 * line[key] for line in history], marker=marker, label=label)
    best = max(history, key=lambda line: float(line["selection"]))
    scores.axvline(best["epoch"], color="grey", linestyle=":", label=f"best epoch ({best['epoch']})")
    scores.set(title="Dev F1 (percent)", xlabel="epoch", ylim=(0, 100))
    for axis in (losses, scores):
        axis.legend()
        axis.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axis.grid(alpha=0.3)
    with replacing(path) as neighbour:
        figure.savefig(neighbour, format="png", dpi=120)
