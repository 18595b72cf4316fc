"""Pictures of a report: each cell's seeds as dots beside the paper's value, and learning curves."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from biaffinity.experiments.cells import Cell
from biaffinity.experiments.paper_scores import paper_score
from biaffinity.experiments.runs import FinishedRun
from biaffinity.experiments.series import HEADLINE, Series
from biaffinity.experiments.tables import NAMES, SETUPS, TASKS
from biaffinity.experiments.themes import DARK, LIGHT, Theme
from biaffinity.experiments.variants import FULL, Variant

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Picture:
    """A name for its files, what it shows, and the picture in each form."""

    name: str
    title: str
    svg: str
    dark_svg: str
    png: bytes


def all_pictures(all_series: Sequence[Series]) -> Iterator[Picture]:
    """Every picture that the series have data for."""
    for series in all_series:
        name = series.name
        for part in ("dev", "test"):
            if part in series.digests:
                draw = partial(seeds, series, part)
                yield _picture(f"seeds-{part}-{name}", f"{name}: every seed, {part}", draw)
        for setup in series.setups:
            if any(run.curve for run in series.all_runs() if run.setup == setup):
                title = f"{name}: dev score by epoch, {TASKS[setup]}"
                yield _picture(f"curves-setup{setup}-{name}", title, partial(curves, series, setup))


def seeds(series: Series, part: str, theme: Theme) -> Figure:
    """A panel per setup and score, a line per variant: dots for seeds, a bar for mean and deviation."""
    from matplotlib.figure import Figure

    variants = series.variants
    height = 1.5 + 0.42 * len(variants)
    figure = Figure(figsize=(11, height * len(series.setups)), layout="constrained")
    panels = figure.subplots(len(series.setups), 2, sharey=True, squeeze=False)
    for row, setup in enumerate(series.setups):
        for column, of in enumerate(("entities", "relations")):
            axis = panels[row, column]
            for place, variant in enumerate(variants):
                paper = paper_score(part, setup, variant.name, of) if series.on_paper_corpus else None
                if paper is not None:
                    low, high = paper.mean - paper.deviation, paper.mean + paper.deviation
                    axis.fill_betweenx(
                        [place - 0.36, place + 0.36], low, high, color=theme.orange, alpha=0.2, linewidth=0
                    )
                    axis.plot([paper.mean] * 2, [place - 0.36, place + 0.36], color=theme.orange, linewidth=2)
                cell = Cell(series.values(variant, setup, part, HEADLINE[setup, of]))
                _draw_cell(axis, place, cell, theme)
            axis.set_yticks(range(len(variants)), [str(variant) for variant in variants])
            axis.set_ylim(len(variants) - 0.5, -0.5)
            axis.set_title(f"{SETUPS[setup]}: {NAMES[setup, of]}, F1 on {part} (percent)")
            axis.grid(axis="x")
            axis.set_axisbelow(True)
    _legend(figure, series, theme)
    return figure


def _draw_cell(axis: Axes, place: int, cell: Cell, theme: Theme) -> None:
    """Mean and deviation above, the seeds below in three rows, so that like values hide each other less."""
    if not cell.values:
        style = {"facecolor": theme.ground, "edgecolor": "none", "pad": 2}
        across = axis.get_yaxis_transform()
        axis.text(0.5, place, "not run", transform=across, ha="center", va="center", bbox=style)
        return
    values = list(cell.values.values())
    heights = place + 0.02 + 0.11 * (np.arange(len(values)) % 3)
    axis.plot(values, heights, "o", color=theme.blue, alpha=0.7, markersize=4.5, markeredgewidth=0)
    bar: dict[str, Any] = {"color": theme.ink, "markersize": 5, "linewidth": 1.5}
    axis.errorbar(cell.mean, place - 0.2, xerr=cell.deviation, fmt="D", capsize=3, **bar)


def _legend(figure: Figure, series: Series, theme: Theme) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    def dot(marker: str, colour: str, label: str) -> Line2D:
        return Line2D([], [], marker=marker, color=colour, linestyle="", label=label)

    entries: list[Any] = [dot("o", theme.blue, "a seed"), dot("D", theme.ink, "mean and standard deviation")]
    if series.on_paper_corpus:
        entries += [
            Line2D([], [], color=theme.orange, linewidth=2, label="the paper's mean"),
            Patch(color=theme.orange, alpha=0.2, linewidth=0, label="and standard deviation"),
        ]
    figure.legend(handles=entries, loc="outside lower center", ncols=len(entries), frameon=False)


def curves(series: Series, setup: int, theme: Theme) -> Figure:
    """A panel per variant: the mean dev scores by epoch, and the band from the lowest to the highest seed."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    variants = [variant for variant in series.variants if (variant.name, setup) in series.runs]
    columns = min(4, len(variants))
    rows = -(-len(variants) // columns)
    size = (max(6.5, 3.2 * columns), 2.9 * rows + 0.5)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    full = _by_epoch(series, FULL, setup)
    for axis, variant in zip(panels, variants, strict=False):
        found = _by_epoch(series, variant, setup)
        for of, colour in (("entities", theme.blue), ("relations", theme.orange)):
            if variant is not FULL and of in full:
                mean = full[of].mean(axis=0)
                axis.plot(np.arange(1, len(mean) + 1), mean, color=theme.ink, linewidth=0.8, linestyle=":")
            if of in found:
                scores = found[of]
                epochs = np.arange(1, scores.shape[1] + 1)
                axis.fill_between(
                    epochs, scores.min(axis=0), scores.max(axis=0), color=colour, alpha=0.25, lw=0
                )
                axis.plot(epochs, scores.mean(axis=0), color=colour, linewidth=1.6)
        axis.set_title(f"{variant} ({len(series.runs[variant.name, setup])} seeds)", fontsize=10)
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        axis.grid()
    for place in range(len(variants), len(panels)):
        panels[place].set_axis_off()
        panels[place - columns].tick_params(labelbottom=True)  # no panel stands under it
    _fit_scores(panels[0], [_by_epoch(series, variant, setup) for variant in variants])
    figure.supxlabel("epoch", fontsize=10)
    figure.supylabel("F1 on dev (percent)", fontsize=10)
    _curve_legend(figure, setup, theme, beside_full=len(variants) > 1 and bool(full))
    return figure


def _curve_legend(figure: Figure, setup: int, theme: Theme, *, beside_full: bool) -> None:
    from matplotlib.lines import Line2D

    entries = [
        Line2D([], [], color=colour, linewidth=1.6, label=f"{NAMES[setup, of]}: mean, lowest to highest seed")
        for of, colour in (("entities", theme.blue), ("relations", theme.orange))
    ]
    if beside_full:
        entries.append(
            Line2D([], [], color=theme.ink, linewidth=0.8, linestyle=":", label="mean of the full network")
        )
    figure.legend(handles=entries, loc="outside upper center", ncols=len(entries), frameon=False)


def _by_epoch(series: Series, variant: Variant, setup: int) -> dict[str, np.ndarray[Any, Any]]:
    """Scores [seeds, epochs] in percent, as far as all seeds have come."""
    runs: list[FinishedRun] = list(series.runs.get((variant.name, setup), {}).values())
    curves = [run.curve for run in runs if run.curve]
    if not curves:
        return {}
    epochs = min(len(curve["entities"]) for curve in curves)
    return {of: 100 * np.array([curve[of][:epochs] for curve in curves]) for of in ("entities", "relations")}


def _fit_scores(panel: Axes, found: Sequence[dict[str, np.ndarray[Any, Any]]]) -> None:
    """Leave out the steep first epochs, which would press the rest flat (panels share their scale)."""
    scores = [array for by_epoch in found for array in by_epoch.values()]
    settled = [array[:, array.shape[1] // 8 :] for array in scores]
    if settled:
        low, high = min(a.min() for a in settled), max(a.max() for a in settled)
        panel.set_ylim(max(0, low - 2), min(100, high + 2))


def _picture(name: str, title: str, draw: Callable[[Theme], Figure]) -> Picture:
    import matplotlib

    def svg(theme: Theme) -> str:
        with matplotlib.rc_context(theme.settings()):
            buffer = io.StringIO()
            draw(theme).savefig(buffer, format="svg", metadata={"Date": None})
            return buffer.getvalue()

    with matplotlib.rc_context(LIGHT.settings()):
        png = io.BytesIO()
        draw(LIGHT).savefig(png, format="png", dpi=130)
    return Picture(name, title, svg(LIGHT), svg(DARK), png.getvalue())
