"""The reference of the command line, from the commands themselves."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Iterator
from typing import Any

from rich.text import Text
from typer import Typer
from typer.models import ArgumentInfo, OptionInfo

from biaffinity.cli.app import COMMANDS, app, load_commands

_HEAD = """# Command line

`biaffinity COMMAND --help` says the same on your terminal. Answers go to stdout, talk to stderr. \
Exit codes: 0 done, 1 the work failed, 2 wrong use, 130 stopped by Ctrl-C.

"""


def command_line() -> str:
    """The page, as Markdown."""
    load_commands(*COMMANDS)
    commands = sorted(_commands(app), key=lambda command: command[0])
    return _HEAD + "\n".join(line for command in commands for line in _command(*command))


def _commands(of: Typer, before: str = "") -> Iterator[tuple[str, Callable[..., Any], str]]:
    """The name, the function and the help of every command, and of those below it."""
    for command in of.registered_commands:
        callback = command.callback
        assert callback is not None  # a command is a function
        yield f"{before}{command.name or callback.__name__}", callback, command.help or _doc(callback)
    for group in of.registered_groups:
        inner = group.typer_instance
        assert inner is not None
        assert inner.registered_callback is not None
        callback = inner.registered_callback.callback
        assert callback is not None
        yield f"{group.name}", callback, _doc(callback)
        yield from _commands(inner, f"{group.name} ")


def _doc(callback: Callable[..., Any]) -> str:
    return inspect.getdoc(callback) or ""


def _command(name: str, callback: Callable[..., Any], help: str) -> Iterator[str]:
    yield f"## biaffinity {name}\n"
    examples = []
    for paragraph in help.split("\n\n"):
        words = " ".join(Text.from_markup(paragraph).plain.split())
        if words.startswith("Example: "):
            examples.append(words.removeprefix("Example: "))
        else:
            yield f"{_escaped(words)}\n"
    rows = []
    hints = typing.get_type_hints(callback, include_extras=True)
    for name, parameter in inspect.signature(callback).parameters.items():
        for info in getattr(hints[name], "__metadata__", ()):
            if isinstance(info, ArgumentInfo):
                rows.append(_row(f"`{info.metavar or name}`", info, parameter.default))
            elif isinstance(info, OptionInfo):
                rows.append(_row(_option(name, info, parameter.default), info, parameter.default))
    if rows:
        yield "| | | default |\n|---|---|---|"
        yield from rows
    if examples:
        yield "\nFor example:\n"
        yield from (f"- `{example}`" for example in examples)
    yield ""


def _option(name: str, info: OptionInfo, default: object) -> str:
    """Its names, the long one last, and what it takes."""
    long = f"--{name.replace('_', '-')}"
    # In an annotation typer keeps the first name where a default would stand.
    names = [each for each in (info.default, *(info.param_decls or ())) if isinstance(each, str)]
    if not names and isinstance(default, bool):
        names = [long, f"--no-{long[2:]}"]
    taken = "" if isinstance(default, bool) else f" {info.metavar or name.upper()}"
    return ", ".join(f"`{each}{taken}`" for each in sorted(names or [long], key=len))


def _row(name: str, info: ArgumentInfo | OptionInfo, default: object) -> str:
    if isinstance(info.show_default, str):
        shown = info.show_default
    elif default is inspect.Parameter.empty:
        shown = "required"
    else:
        shown = "" if default is None or isinstance(default, bool) else f"`{default}`"
    return f"| {name} | {_escaped(info.help or '')} | {shown} |"


def _escaped(words: str) -> str:
    """Words as Markdown: options and addresses are code, and nothing else is markup."""
    words = words.replace("|", "\\|").replace("<", "&lt;")
    return re.sub(r"(?<![\w`])(--[a-z][\w-]*|/[a-z0-9/]+)", r"`\1`", words).replace("*", "\\*")
