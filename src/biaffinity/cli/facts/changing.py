"""What changes the facts of a store: update, merge, split."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from biaffinity.cli.console import counted, talk, tell
from biaffinity.cli.facts.app import DEFAULT, Store, Type, Who, facts_app, open_facts, print_json
from biaffinity.cli.options import Json


@facts_app.command()
def update(
    store: Store = DEFAULT,
    aliases: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Names that mean the same, a line each: Org: Norvik Oil = Norvik = NOC. It is kept until "
            "another is given.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Read documents that were added, replaced or removed since the last time into entities and facts.

    It takes as long as there is new text, however large the store is; what was decided by merge and split
    stays.

    Example: [bold]biaffinity facts update --aliases names.txt[/bold]
    """
    with open_facts(store) as facts, _bar() as bar:
        task = bar.add_task("documents", total=None)
        done = facts.update(
            aliases=aliases, progress=lambda done, total: bar.update(task, completed=done, total=total)
        )
    if as_json:
        print_json(done)
    else:
        tell(f"{counted(done.documents, 'document')} read, {counted(done.mentions, 'mention')}")


@facts_app.command()
def merge(
    one: Who,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The entity that is the same.")],
    store: Store = DEFAULT,
    type: Type = None,
    as_json: Json = False,
) -> None:
    """Make two entities one. It holds for all that comes later, until split takes it back.

    Example: [bold]biaffinity facts merge "Norvik Oil" Norvik[/bold]
    """
    from biaffinity.cli.facts.showing import console, heading

    with open_facts(store) as facts:
        merged = facts.merge(one, other, type=type)
    if as_json:
        print_json(merged)
    else:
        console().print(heading(merged), soft_wrap=True)


@facts_app.command()
def split(
    entity: Who,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The name that is not its own, or the id that why shows.")
    ],
    store: Store = DEFAULT,
    type: Type = None,
    as_json: Json = False,
) -> None:
    """Take a name out of an entity, to which it does not belong. It holds until merge takes it back.

    Example: [bold]biaffinity facts split "Paul Okafor" Okafor[/bold]
    """
    from biaffinity.cli.facts.showing import console, heading

    with open_facts(store) as facts:
        parts = facts.split(entity, name, type=type)
    if as_json:
        print_json(parts)
    else:
        for part in parts:
            console().print(heading(part), soft_wrap=True)


def _bar() -> Progress:
    return Progress(console=talk, transient=True, disable=not talk.is_terminal)
