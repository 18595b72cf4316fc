"""``biaffinity report``: tables and pictures of finished runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from biaffinity.cli.app import app
from biaffinity.cli.console import tell
from biaffinity.errors import MissingExtraError


@app.command()
def report(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="Folders of runs, or files of biaffinity gather; each of one recipe.", metavar="RUNS"
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            help="Where the report goes.",
            metavar="DIR",
            show_default="report/ in the first RUNS, or beside it",
        ),
    ] = None,
) -> None:
    """Set finished runs beside the paper: tables, t-tests, pictures.

    Reads what biaffinity reproduce and biaffinity train left, as far as it
    has come, or what biaffinity gather kept of it, and writes tables.md,
    tables.tex, report.html and pictures; the tables are printed too. Several
    RUNS share the first table.

    Example: [bold]biaffinity report runs/paper results/default.jsonl[/bold]
    """
    try:
        from biaffinity.experiments.report import write_report

        beside = runs[0].parent if runs[0].is_file() else runs[0]
        tables, files = write_report(runs, out or beside / "report")
    except ModuleNotFoundError as error:
        raise MissingExtraError("the report", "train") from error
    sys.stdout.write(tables)
    tell(f"{len(files)} files are in {files[0].parent}")
