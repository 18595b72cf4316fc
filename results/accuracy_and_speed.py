"""Draw how right our models are on CoNLL04 against how fast they read; others' published scores are lines.

    python results/accuracy_and_speed.py docs/images/accuracy-and-speed

Reads the series of runs beside it and ``models.json``, the tokens a second on one core from raw text
(`benchmarks/models.py`). Strict micro F1 of relations on test, predicted boundaries.
"""

from __future__ import annotations

import argparse
import json
import statistics
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from biaffinity.experiments.themes import LIGHT

HERE = Path(__file__).parent
#: What others published on the same 288 sentences, with the size of their encoder.
PUBLISHED = {
    "ATG, a large encoder": 78.5,
    "Table-Sequence, ALBERT": 73.6,
    "SpERT, BERT base": 71.5,
    "eznlp, no transformer": 66.0,
}


@dataclass(frozen=True)
class Model:
    """A point: its name, the name that its speed was measured under, and where its scores stand."""

    name: str
    speed: str
    scores: list[float]
    below: bool = False

    @property
    def f1(self) -> float:
        """The mean over its runs."""
        return statistics.mean(self.scores)


def scores_of(series: str) -> list[float]:
    """Percent of strict micro F1 of relations on test, of every run of setup 1."""
    records = map(json.loads, (HERE / f"{series}.jsonl").read_text(encoding="utf-8").splitlines())
    return [
        100 * record["scores"]["test"]["re"]["strict"]["micro"]["f1"]
        for record in records
        if record["config"]["model"]["boundaries"] == "predicted"
    ]


def main() -> None:
    """Draw it, as SVG and PNG."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path, help="the picture's name without .svg and .png")
    out = parser.parse_args().out
    speeds = json.loads((HERE / "models.json").read_text(encoding="utf-8"))["models"]
    embedded = json.loads((HERE / "news-model.json").read_text(encoding="utf-8"))
    models = [
        Model("transformer, MPNet", "mpnet", scores_of("transformer")),
        Model("transformer, MiniLM", "minilm", scores_of("transformer-minilm")),
        Model("default, trained on CoNLL04 alone", "default", scores_of("default"), below=True),
        Model("news, the embedded student", "news", [100 * embedded["test"]["relations"]]),
    ]
    with_settings(models, speeds, out)


def with_settings(models: list[Model], speeds: dict[str, dict[str, float]], out: Path) -> None:
    """The picture in our colours."""
    import matplotlib

    with matplotlib.rc_context(LIGHT.settings()):
        figure = Figure(figsize=(8.6, 4.4), layout="constrained")
        axis = figure.subplots()
        for name, f1 in PUBLISHED.items():
            axis.axhline(f1, color=LIGHT.orange, linewidth=1, linestyle=(0, (4, 3)))
            axis.text(1.01, f1, f"{name}: {f1}", transform=axis.get_yaxis_transform(), va="center")
        for model in models:
            x = speeds[model.speed]["tokens per second"]
            spread = statistics.stdev(model.scores) if len(model.scores) > 1 else 0
            axis.errorbar(x, model.f1, yerr=spread or None, fmt="o", color=LIGHT.blue, capsize=3)
            axis.annotate(
                f"{model.name}\n{model.f1:.1f} at {x:,.0f} tokens/s",
                (x, model.f1),
                xytext=(8, -26 if model.below else 8),
                textcoords="offset points",
                ha="left" if x < 5000 else "right",
            )
        axis.set_xscale("log")
        axis.set_xlim(100, 60_000)
        axis.set_ylim(62, 80)
        axis.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
        axis.set_xlabel("tokens a second on one core, from raw text (logarithmic)")
        axis.set_ylabel("relations, strict micro F1 on CoNLL04 test")
        axis.grid(visible=True, axis="x")
        figure.savefig(out.with_suffix(".svg"), metadata={"Date": None})
        figure.savefig(out.with_suffix(".png"), dpi=130)


if __name__ == "__main__":
    main()
