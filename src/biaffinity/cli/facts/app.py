"""The group of commands ``biaffinity facts``, and the options that they share."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biaffinity.cli.app import app
from biaffinity.cli.commands import Program

if TYPE_CHECKING:
    from biaffinity.facts import Facts
    from biaffinity.facts.answers import Answer

DEFAULT = "facts.db"

Store = Annotated[
    str,
    typer.Option(
        "--store",
        envvar="BIAFFINITY_STORE",
        metavar="STORE",
        help="A file of SQLite, or postgresql://...; BIAFFINITY_STORE says it for all commands.",
        show_envvar=False,
    ),
]
Who = Annotated[str, typer.Argument(metavar="ENTITY", help="A name, or an id such as #12.")]
Type = Annotated[
    str | None, typer.Option("--type", metavar="TYPE", help="Of this type of entities only, such as Org.")
]
OfRelation = Annotated[
    str | None, typer.Option("--relation", metavar="TYPE", help="Of this relation only, such as Work_For.")
]
LeastScore = Annotated[
    float,
    typer.Option("--min-score", metavar="SCORE", help="With at least this combined score.", min=0, max=1),
]
Since = Annotated[
    str | None, typer.Option("--since", metavar="TIME", help="Stated since: 2026-11-16, or with the hour.")
]
Until = Annotated[str | None, typer.Option("--until", metavar="TIME", help="Stated until.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", help="At most so many.", min=1)]
Offset = Annotated[int, typer.Option("--offset", metavar="N", help="Pass over so many first.", min=0)]
Sentences = Annotated[
    int, typer.Option("--sentences", metavar="N", help="Sentences shown for each fact.", min=0, max=20)
]

facts_app = Program(rich_markup_mode="rich", no_args_is_help=True)
app.add_typer(facts_app, name="facts")


@facts_app.callback()
def facts() -> None:
    """Ask a store of extracted documents who is related to whom, and put right who is who.

    First [bold]biaffinity extract texts/ --out facts.db[/bold], then [bold]biaffinity facts update[/bold]
    after every run: it gathers mentions into entities and what is said of them into facts. The rest asks.

    Example: [bold]biaffinity facts about "Norvik Oil"[/bold]
    """


def open_facts(store: str) -> Facts:
    """The facts of a store that is there."""
    from biaffinity import facts

    return facts.open(store)


def print_json(answer: Answer | Sequence[Answer]) -> None:
    """An answer, or several, as JSON."""
    record: Any = [each.to_dict() for each in answer] if isinstance(answer, Sequence) else answer.to_dict()
    sys.stdout.write(json.dumps(record, ensure_ascii=False, indent=2) + "\n")
