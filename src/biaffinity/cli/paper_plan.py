"""The plan of the paper's reproduction as a person reads it: what is done, what is left, and the commands."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.table import Table

from biaffinity.cli.console import print_tables
from biaffinity.experiments.paper_plan import paper_states
from biaffinity.experiments.plan import Corpus


def show_plan(data: Path, out: Path, vectors: Path | None, device: str, workers: int) -> None:
    """Print the series with what is left of each, then what to run."""
    states = list(paper_states(Corpus.read(data), data, out, vectors, device, workers))
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("series", "what it is for"):
        table.add_column(name)
    for name in ("runs", "done", "left", "time"):
        table.add_column(name, justify="right")
    for state in states:
        counts = (state.total, state.total - state.left, state.left)
        table.add_row(state.series.name, state.series.answers, *map(str, counts), duration(state.seconds))
    print_tables([table], sys.stdout)
    seconds = sum(state.seconds for state in states)
    if not seconds:
        print(f"all of it is in {out}; its tables: biaffinity report")
        return
    side_by_side = f"{workers} run{'s' * (workers != 1)} at a time"
    print(f"{duration(seconds)} to go, {side_by_side}, as fast as {device} is here and now:")
    for state in states:
        if state.left:
            print(f"  {state.command}")


def duration(seconds: float) -> str:
    """A length of time as people say it, to about a tenth.

    >>> duration(0), duration(50), duration(400), duration(8000), duration(200_000)
    ('–', '1 min', '7 min', '2.2 h', '2.3 days')
    """
    if seconds <= 0:
        return "–"
    minutes = seconds / 60
    if minutes < 90:
        return f"{max(1, round(minutes))} min"
    hours = minutes / 60
    return f"{hours:.1f} h" if hours < 48 else f"{hours / 24:.1f} days"
