"""How far a score can be trusted: of all that is found with a score near s, is the share s right?

    python benchmarks/calibration.py [FILE ...] [--model M] [--json OUT] [--plot OUT.svg]

FILEs hold annotated sentences (by default CoNLL04's test, from BIAFFINITY_DATA or ../shared/data), best ones
that the model was not trained on. An entity is right where gold has the same span with the same type, a
relation where gold has the same type between the same two entities (strict).

The numbers are explained in `biaffinity.scoring.calibration`; "error" is the expected calibration error.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from bars import write
from biaffinity import formats
from biaffinity.decoding.prediction import predict
from biaffinity.extraction.loading import model_folder
from biaffinity.files import replacing
from biaffinity.runtime.network import OnnxNetwork
from biaffinity.scoring.calibration import Calibration, calibrate, judge

ROOT = Path(__file__).parent.parent
KINDS = ("entities", "relations")


def draw(measured: Mapping[str, Calibration], path: Path) -> None:
    """A reliability diagram of each kind: where the dots lie on the diagonal, a score means what it says."""
    import matplotlib
    from matplotlib.figure import Figure

    # The same numbers give the same file; on a white card it can be read on any page.
    matplotlib.rcParams.update({"svg.hashsalt": "biaffinity", "svg.fonttype": "none", "font.size": 11})
    figure = Figure(figsize=(7, 4.1), layout="constrained", facecolor="white")
    figure.patch.set(edgecolor="#d0d7de", linewidth=1.5)
    largest = max(one.count for values in measured.values() for one in values.bins)
    for axis, (kind, values) in zip(
        figure.subplots(1, len(measured), sharey=True), measured.items(), strict=True
    ):
        bins = values.bins
        axis.plot([0, 1], [0, 1], color="#6b7280", linestyle=":", linewidth=1.2)
        # A 95% interval of the share, Wilson's, since bins are small and shares near 1.
        for one in bins:
            low, high = wilson(one.right, one.count)
            axis.plot([one.mean_score] * 2, [low, high], color="#2563eb", alpha=0.45, linewidth=1.4)
        axis.scatter(
            [one.mean_score for one in bins],
            [one.right for one in bins],
            s=[20 + 160 * (one.count / largest) ** 0.5 for one in bins],
            color="#2563eb",
            zorder=3,
        )
        for one in bins:
            axis.annotate(
                f"{one.count}",
                (one.mean_score, -0.08),
                ha="center",
                fontsize=8,
                color="#4b5563",
            )
        axis.set(
            title=f"{kind} ({values.count})",
            xlabel="score",
            xlim=(-0.02, 1.04),
            ylim=(-0.11, 1.04),
            aspect="equal",
        )
        axis.grid(alpha=0.25)
        axis.spines[["top", "right"]].set_visible(False)
    figure.axes[0].set_ylabel("share that is right")
    with replacing(path) as neighbour:
        figure.savefig(neighbour, format="svg", metadata={"Date": None}, edgecolor="#d0d7de")


def wilson(share: float, count: int) -> tuple[float, float]:
    """The 95% interval of a share (Wilson 1927)."""
    square = 1.96**2
    middle = (share + square / (2 * count)) / (1 + square / count)
    reach = 1.96 / (1 + square / count) * (share * (1 - share) / count + square / (4 * count**2)) ** 0.5
    return middle - reach, middle + reach


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    shared = Path(os.environ.get("BIAFFINITY_DATA", ROOT.parent / "shared" / "data")) / "conll04"
    parser.add_argument("files", nargs="*", type=Path, default=[shared / "test.jsonl"], metavar="FILE")
    parser.add_argument("--model", type=Path, default=model_folder(None))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()
    gold = [sentence for file in arguments.files for sentence in formats.read(file)]
    judged = judge(gold, predict(OnnxNetwork.load(arguments.model), gold))
    measured = {kind: calibrate(getattr(judged, kind)) for kind in KINDS}
    print(f"{len(gold)} sentences")
    print(f"{'':10} {'found':>6} {'mean score':>11} {'right':>7} {'error':>7} {'Brier':>7}")
    for kind, values in measured.items():
        print(
            f"{kind:10} {values.count:6} {values.mean_score:11.3f} {values.right:7.3f}"
            f" {values.error:7.3f} {values.brier:7.3f}"
        )
    if arguments.json:
        write(
            arguments.json,
            [],
            {"sentences": len(gold), **{kind: asdict(one) for kind, one in measured.items()}},
        )
    if arguments.plot:
        draw(measured, arguments.plot)


if __name__ == "__main__":
    main()
