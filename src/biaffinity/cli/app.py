"""The program ``biaffinity``: its commands, its exit codes, and how it speaks of mistakes.

Exit codes: 0 done, 1 the work failed, 2 wrong use. Output for machines goes to stdout, talk to stderr.
"""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from biaffinity import __version__
from biaffinity.cli.console import talk
from biaffinity.errors import BiaffinityError, UsageError

app = typer.Typer(
    name="biaffinity",
    help="Entities and the relations between them: [bold]text in, facts out[/bold].",
    rich_markup_mode="rich",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"biaffinity {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and leave.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


def main(arguments: list[str] | None = None) -> None:
    """Run a command line; ends the process with its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # What a terminal or pipe cannot show is escaped; it never stops the work.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app(arguments)
    except BiaffinityError as error:
        talk.print("[bold red]error:[/bold red]", end=" ")
        talk.print(str(error), markup=False, emoji=False, highlight=False, soft_wrap=True)
        sys.exit(2 if isinstance(error, UsageError) else 1)
