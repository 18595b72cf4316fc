"""Where the program talks: stderr, in colour on a terminal and plainly elsewhere; and how it shows tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

from rich.console import Console
from rich.table import Table

from biaffinity.formats.report import Report


class Talk(Console):
    """A console that knows how much the user wants to hear of an error."""

    verbose = False


talk = Talk(stderr=True)

_WIDTH = 100  # where there is no terminal to ask


def tell(line: str) -> None:
    """Say one line just as it is, however long: names in it are no markup."""
    talk.print(line, markup=False, emoji=False, highlight=False, soft_wrap=True)


def manner(*, quiet: bool, verbose: bool) -> None:
    """How much to say from now on."""
    talk.quiet, talk.verbose = quiet, verbose


def warn(line: str) -> None:
    """Say one line that nobody should miss, even to whoever wants it quiet."""
    quiet, talk.quiet = talk.quiet, False
    talk.print(line, style="yellow", markup=False, emoji=False, highlight=False, soft_wrap=True)
    talk.quiet = quiet


def counted(number: int, thing: str) -> str:
    """So many of a thing.

    >>> counted(1, "sentence"), counted(1200, "sentence"), counted(2, "entity")
    ('1 sentence', '1,200 sentences', '2 entities')
    """
    if number != 1:
        thing = f"{thing[:-1]}ies" if thing.endswith("y") else f"{thing}s"
    return f"{number:,} {thing}"


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
