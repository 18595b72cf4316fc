"""The table of choices on dev in docs/results.md: means and standard deviations over seeds.

python results/summarise.py results/tuning/round-*.jsonl

Trained models have their tables from `biaffinity report`.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def mean_and_deviation(values: Sequence[float]) -> str:
    """``88.4 (0.2)``, in percent; without a deviation where there is one value."""
    mean = f"{100 * statistics.mean(values):.1f}"
    return mean if len(values) == 1 else f"{mean} ({100 * statistics.stdev(values):.1f})"


def summarise(files: Sequence[Path]) -> None:
    """A Markdown table, one row per variant: dev scores at each seed's best epoch."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for file in files:
        for line in file.read_text().splitlines():
            result = json.loads(line)
            groups[result["name"]].append(result)
    header = ["variant", "seeds", "entities", "relations", "mean of both", "s per epoch"]
    print("|", " | ".join(header), "|")
    print("|" + "---|" * len(header))
    for name, runs in groups.items():
        keys = ("entities", "relations", "selection")
        scores = [mean_and_deviation([run[key] for run in runs]) for key in keys]
        seconds = statistics.mean(run["epoch_seconds"] for run in runs)
        print("|", " | ".join([name, str(len(runs)), *scores, f"{seconds:.1f}"]), "|")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="+")
    summarise(parser.parse_args().paths)
