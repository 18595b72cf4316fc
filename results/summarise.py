"""Tables of docs/results.md from the files of this folder: means and standard deviations over seeds.

python results/summarise.py runs results/default results/paper ...     trained models, from run.json
python results/summarise.py tuning results/tuning/round-*.jsonl        choices on dev
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

#: Column -> path in a score sheet.
CELLS = {
    "NER": ("paper", "ner"),
    "EC": ("paper", "ec"),
    "RC": ("paper", "rc"),
    "RC released": ("paper", "rc_released"),
    "NER micro": ("ner", "micro"),
    "NER macro-4": ("ner", "macro"),
    "RE strict micro": ("re", "strict", "micro"),
    "RE strict macro": ("re", "strict", "macro"),
    "RE boundaries micro": ("re", "boundaries", "micro"),
    "RE boundaries macro": ("re", "boundaries", "macro"),
}


def mean_and_deviation(values: Sequence[float]) -> str:
    """``88.4 (0.2)``, in percent; without a deviation where there is one value."""
    mean = f"{100 * statistics.mean(values):.1f}"
    return mean if len(values) == 1 else f"{mean} ({100 * statistics.stdev(values):.1f})"


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A Markdown table."""
    print("|", " | ".join(header), "|")
    print("|" + "---|" * len(header))
    for row in rows:
        print("|", " | ".join(row), "|")


def summarise_runs(folders: Sequence[Path]) -> None:
    """One row per folder, setup and part of the data, over all its seeds."""
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for folder in folders:
        for path in sorted(folder.rglob("run.json")):
            record = json.loads(path.read_text())
            for part, sheet in record["scores"].items():
                groups[folder.name, f"setup {record['config']['model']['setup']}", part].append(sheet)

    def row(key: tuple[str, str, str], sheets: list[dict[str, Any]]) -> list[str]:
        cells = []
        for path in CELLS.values():
            values = []
            for sheet in sheets:
                leaf: Any = sheet
                for step in path:
                    leaf = leaf[step]
                values.append(leaf["f1"])
            cells.append(mean_and_deviation(values))
        return [*key, str(len(sheets)), *cells]

    print_table(["", "", "", "seeds", *CELLS], (row(key, sheets) for key, sheets in groups.items()))


def summarise_tuning(files: Sequence[Path]) -> None:
    """One row per variant: dev scores at each seed's best epoch."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for file in files:
        for line in file.read_text().splitlines():
            result = json.loads(line)
            groups[result["name"]].append(result)

    def row(name: str, runs: list[dict[str, Any]]) -> list[str]:
        scores = [
            mean_and_deviation([run[key] for run in runs]) for key in ("entities", "relations", "selection")
        ]
        seconds = statistics.mean(run["epoch_seconds"] for run in runs)
        return [name, str(len(runs)), *scores, f"{seconds:.1f}"]

    header = ["variant", "seeds", "entities", "relations", "mean of both", "s per epoch"]
    print_table(header, (row(name, runs) for name, runs in groups.items()))


def main() -> None:
    """Read the arguments and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["runs", "tuning"])
    parser.add_argument("paths", type=Path, nargs="+")
    arguments = parser.parse_args()
    (summarise_runs if arguments.what == "runs" else summarise_tuning)(arguments.paths)


if __name__ == "__main__":
    main()
