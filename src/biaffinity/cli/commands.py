"""What all commands have in common: how much they say, and how their options are shown."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand

from biaffinity.cli.console import manner

F = TypeVar("F", bound=Callable[..., Any])

Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Say only what goes wrong.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Say of an error where it came from, too.")]
_COMMON = {"quiet": Quiet, "verbose": Verbose}


class Command(TyperCommand):
    """A command whose flags are shown by their names alone: they take no value, so none is described."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        for parameter in self.params:
            _describe_no_value(parameter)

    def get_help_option(self, ctx: Any) -> Any:
        """The option ``--help``."""
        return _describe_no_value(super().get_help_option(ctx))


class Program(typer.Typer):
    """A program all of whose commands know ``--quiet`` and ``--verbose``."""

    def command(self, *arguments: Any, **settings: Any) -> Callable[[F], F]:
        """Register a function as a command."""
        register = super().command(*arguments, cls=Command, **settings)

        def decorate(function: F) -> F:
            register(_with_manner(function))
            return function

        return decorate


def _with_manner(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the common options beside its own."""

    @functools.wraps(function)
    def run(*, quiet: bool, verbose: bool, **options: Any) -> Any:
        manner(quiet=quiet, verbose=verbose)
        return function(**options)

    own = inspect.signature(function, eval_str=True)
    common = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=kind)
        for name, kind in _COMMON.items()
    ]
    run.__signature__ = own.replace(parameters=[*own.parameters.values(), *common])  # type: ignore[attr-defined]
    run.__annotations__ = {**typing.get_type_hints(function, include_extras=True), **_COMMON}
    return run


def _describe_no_value(parameter: Any) -> Any:
    if getattr(parameter, "is_flag", False):
        parameter.metavar = ""
    return parameter
