"""``biaffinity gather``: finished runs kept as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biaffinity.cli.app import app
from biaffinity.cli.console import counted, talk, tell
from biaffinity.errors import MissingExtraError


@app.command()
def gather(
    runs: Annotated[
        list[Path], typer.Argument(help="Folders of runs, or files of gathered ones.", metavar="RUNS")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="The file, such as NAME.jsonl.", metavar="FILE")],
) -> None:
    """Keep finished runs as one file, a line of JSON for each.

    A line has the run's whole record: config, seed, command, commit, machine,
    fingerprints of the data, every score, and its curve. biaffinity report
    makes the same tables of the file as of the folders, which stay as they
    are.

    Example: [bold]biaffinity gather runs/default --out results/default.jsonl[/bold]
    """
    try:
        from biaffinity.experiments.runs import gather as gather_runs
    except ModuleNotFoundError as error:
        raise MissingExtraError("gathering runs", "train") from error
    count, unfinished = gather_runs(runs, out)
    if unfinished:
        names = ", ".join(unfinished)
        talk.print(f"not finished, left out: {names}", style="yellow", highlight=False, soft_wrap=True)
    tell(f"{counted(count, 'run')} {'is' if count == 1 else 'are'} in {out}")
