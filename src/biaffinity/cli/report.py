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
    folders: Annotated[
        list[Path], typer.Argument(help="Folders of runs, each of one recipe.", metavar="DIR")
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Where the report goes.", metavar="DIR", show_default="report/ in the first DIR"),
    ] = None,
) -> None:
    """Set finished runs beside the paper: tables, t-tests, pictures.

    Reads what biaffinity reproduce and biaffinity train left, as far as it
    has come, and writes tables.md, tables.tex, report.html and pictures; the
    tables are printed too. Several folders share the first table.

    Example: [bold]biaffinity report results/paper results/default[/bold]
    """
    try:
        from biaffinity.experiments.report import write_report

        tables, files = write_report(folders, out or folders[0] / "report")
    except ModuleNotFoundError as error:
        raise MissingExtraError("the report", "train") from error
    sys.stdout.write(tables)
    tell(f"{len(files)} files are in {files[0].parent}")
