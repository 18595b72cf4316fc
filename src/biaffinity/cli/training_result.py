"""What came of a training run: its scores on stdout, and where the model is."""

from __future__ import annotations

import sys

import typer

from biaffinity.cli.app import INTERRUPTED
from biaffinity.cli.console import print_tables, talk, tell
from biaffinity.cli.sheet import sheet_table, short_tables
from biaffinity.training import Finished


def show_result(finished: Finished, *, export: bool, all_scores: bool) -> None:
    """Print the sheets and tell of the model; a run that was stopped early leaves with its exit code."""
    for name, sheet in (("dev", finished.dev), ("test", finished.test)):
        if sheet is not None:
            tables = [sheet_table(sheet)] if all_scores else short_tables(sheet)
            tables[0].title = f"\n{name}"
            print_tables(tables, sys.stdout)
    tell(f"\nthe model of epoch {finished.best_epoch} is in {finished.folder}")
    if export and finished.not_exported is not None:
        tell(f"it needs PyTorch to run, for it could not be exported: {finished.not_exported}")
    if finished.interrupted:
        talk.print("interrupted: --resume goes on from the last whole epoch", style="yellow")
        raise typer.Exit(INTERRUPTED)
