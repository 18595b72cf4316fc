"""Draw how right our models are on CoNLL04 against how fast they read; others' published scores are lines.

    python results/accuracy_and_speed.py docs/images/accuracy-and-speed.png

Reads the series of runs beside it and ``encoders.json``, the tokens a second on one core from raw text
(`benchmarks/models.py`). Strict micro F1 of relations on test, predicted boundaries.
"""

from __future__ import annotations

import argparse
import json
import statistics
from dataclasses import dataclass
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from biaffinity.experiments.themes import LIGHT
from biaffinity.extraction.loading import model_folder

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
    #: Where its text stands, in points above the dot.
    above: int = 8

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
    """Draw it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path, help="the picture, such as NAME.png")
    out = parser.parse_args().out
    speeds = json.loads((HERE / "encoders.json").read_text(encoding="utf-8"))["models"]
    about = json.loads((model_folder("news") / "about.json").read_text(encoding="utf-8"))
    models = [
        Model("transformer, MPNet", "mpnet", scores_of("transformer-long-case-likely")),
        Model("transformer, MiniLM", "minilm", scores_of("transformer-minilm-case"), above=-30),
        Model("default, trained on CoNLL04 alone", "default", scores_of("default-likely"), above=-52),
        Model(
            "news, the embedded student", "news", [about["scores"]["CoNLL04 test"]["relations"]], above=-30
        ),
    ]
    draw(models, speeds, out)


def draw(models: list[Model], speeds: dict[str, dict[str, float]], out: Path) -> None:
    """A point for every model, a line for every published score."""
    with rc_context(LIGHT.settings()):
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
                xytext=(8, model.above),
                textcoords="offset points",
                ha="left" if x < 1000 else "right",
            )
        axis.set_xscale("log")
        axis.set_xlim(100, 60_000)
        axis.set_ylim(62, 80)
        axis.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
        axis.set_xlabel("tokens a second on one core, from raw text (logarithmic)")
        axis.set_ylabel("relations, strict micro F1 on CoNLL04 test")
        axis.grid(visible=True, axis="x")
        figure.savefig(out, dpi=130)


if __name__ == "__main__":
    main()
