"""The program ``biaffinity``: its commands, its exit codes, and how it speaks of mistakes.

Exit codes: 0 done, 1 the work failed, 2 wrong use, 130 stopped by Ctrl-C. Output for machines goes to
stdout, talk to stderr.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import io
import os
import sys
import traceback
import warnings
from importlib import import_module
from typing import Annotated, NoReturn, TextIO

import typer

from biaffinity.cli.commands import Program
from biaffinity.cli.console import manner, talk, tell, warn
from biaffinity.errors import BiaffinityError, BiaffinityWarning, UsageError
from biaffinity.version import __version__

INTERRUPTED = 130
#: A module of this package each, which registers what it is named after.
COMMANDS = (
    "check",
    "convert",
    "distil",
    "evaluate",
    "export",
    "extract",
    "facts",
    "gather",
    "info",
    "predict",
    "push",
    "recipes",
    "report",
    "reproduce",
    "score",
    "serve",
    "split",
    "train",
    "verify",
)
#: New objects after which Python looks for garbage. A start makes 55,000 and no garbage, and at Python's own
#: 700 looking for it is a tenth of the time of reading a sentence from a cold shell.
NEW_OBJECTS = 100_000
_show_any_warning = warnings.showwarning

app = Program(
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


def load_commands(*names: str) -> None:
    """Have commands register themselves."""
    for name in names:
        import_module(f"biaffinity.cli.{name}")


def main(arguments: list[str] | None = None) -> None:
    """Run a command line; ends the process with its exit code."""
    gc.set_threshold(NEW_OBJECTS)
    words = sys.argv[1:] if arguments is None else arguments
    # The one that is asked for is enough; where none is, help or a hint will name all.
    load_commands(*([words[0]] if words and words[0] in COMMANDS else COMMANDS))
    manner(quiet=False, verbose=False)
    warnings.showwarning = _show_warning
    if isinstance(sys.stdout, io.TextIOWrapper):
        # What a terminal or pipe cannot show is escaped; it never stops the work.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            app(arguments)
        finally:
            if sys.stdout is not None:  # it is where a caller has closed it
                sys.stdout.flush()
    except BiaffinityError as error:
        _fail(str(error), 2 if isinstance(error, UsageError) else 1)
    except OSError as error:
        # Files have errors of their own, so this is most likely stdout: its disk is full, its reader left.
        _let_go_of_stdout()
        if error.errno == errno.EPIPE:
            sys.exit(1)
        _fail(f"{error.filename or 'stdout'}: {error.strerror or error}", 1)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Ours are for users, whom the line of the program does not help."""
    if issubclass(category, BiaffinityWarning):
        warn(str(message))
    else:
        _show_any_warning(message, category, filename, lineno, file, line)


def _fail(message: str, code: int) -> NoReturn:
    if talk.verbose:
        traceback.print_exc()
    talk.quiet = False
    talk.print("[bold red]error:[/bold red]", end=" ")
    tell(message)
    sys.exit(code)


def _let_go_of_stdout() -> None:
    """Send what stdout would not take nowhere, or Python would try again, and complain, when it ends."""
    with contextlib.suppress(OSError), open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
