"""Where the program talks: stderr, in colour on a terminal and plainly elsewhere; and how it shows tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

from rich.console import Console
from rich.table import Table

from biaffinity.formats.report import Report

talk = Console(stderr=True)

_WIDTH = 100  # where there is no terminal to ask


def tell(line: str) -> None:
    """Say one line just as it is, however long: names in it are no markup."""
    talk.print(line, markup=False, emoji=False, highlight=False, soft_wrap=True)


def warn(line: str) -> None:
    """Say one line, just as it is, that the user should not miss."""
    talk.print(line, style="yellow", markup=False, emoji=False, highlight=False, soft_wrap=True)


def tell_changes(report: Report) -> None:
    """Say what a reader changed or left out and what a writer could not express."""
    for line in report.lines():
        warn(line)


def print_tables(tables: Sequence[Table], file: IO[str]) -> None:
    """Print tables one under the other; without a terminal, to a fixed width."""
    console = Console(file=file)
    if not console.is_terminal:
        console = Console(file=file, width=_WIDTH)
    for index, table in enumerate(tables):
        if index:
            console.print()
        console.print(table)
