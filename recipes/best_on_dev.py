"""The best of several runs that differ in their seed alone, by dev: a link to its folder.

    python recipes/best_on_dev.py build/news/best build/news/second-1 build/news/second-2

Best by the mean of the paper's NER and RC, as an epoch is chosen.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from biaffinity.files import read_json


def best_of(folders: Sequence[Path]) -> Path:
    """The folder of the run that is best on dev; of equals the first."""
    return max(folders, key=on_dev)


def on_dev(folder: Path) -> float:
    """What a finished run has on dev."""
    paper = read_json(folder / "run.json")["scores"]["dev"]["paper"]
    return float(paper["ner"]["f1"] + paper["rc"]["f1"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("link", type=Path, help="the link to make")
    parser.add_argument("runs", type=Path, nargs="+", help="folders of finished runs")
    arguments = parser.parse_args()
    best = best_of(arguments.runs)
    print(f"the best on dev is {best}")
    arguments.link.symlink_to(best.absolute())
