"""Questions: search, about, find, path, top, why."""

from __future__ import annotations

from typing import Annotated

import typer

from biaffinity.cli.console import counted, tell
from biaffinity.cli.facts.app import (
    DEFAULT,
    LeastScore,
    Limit,
    Offset,
    OfRelation,
    Sentences,
    Since,
    Store,
    Type,
    Until,
    Who,
    facts_app,
    open_facts,
    print_json,
)
from biaffinity.cli.options import Json


@facts_app.command()
def search(
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="A name, part of one, or one with a slip in it.")
    ],
    store: Store = DEFAULT,
    type: Type = None,
    limit: Limit = 20,
    offset: Offset = 0,
    as_json: Json = False,
) -> None:
    """Find entities by name: the beginnings of words are enough, and typing errors are forgiven.

    Example: [bold]biaffinity facts search norvk[/bold]
    """
    from biaffinity.cli.facts.showing import console, entity_table

    with open_facts(store) as facts:
        found = facts.search(text, type=type, limit=limit, offset=offset)
    if as_json:
        print_json(found)
    elif found:
        rows = [(each.entity, "" if each.name == each.entity.name else each.name) for each in found]
        console().print(entity_table(rows, "found as"))
    else:
        tell("nothing found")


@facts_app.command()
def about(
    entity: Who,
    store: Store = DEFAULT,
    type: Type = None,
    relation: OfRelation = None,
    min_score: LeastScore = 0.0,
    since: Since = None,
    until: Until = None,
    limit: Limit = 20,
    sentences: Sentences = 1,
    as_json: Json = False,
) -> None:
    """Show what is known of an entity: its facts by relation, each with a sentence that says so.

    A fact's score joins those of its documents: 1 minus the product of 1 - best score, over the documents.

    Example: [bold]biaffinity facts about "Norvik Oil" --relation Work_For[/bold]
    """
    from biaffinity.cli.document_table import visible
    from biaffinity.cli.facts.showing import console, heading, print_facts

    with open_facts(store) as facts:
        answer = facts.about(
            entity,
            type=type,
            relation=relation,
            min_score=min_score,
            since=since,
            until=until,
            limit=limit,
            sentences=sentences,
        )
    if as_json:
        print_json(answer)
        return
    shown = console()
    shown.print(heading(answer.entity), soft_wrap=True)
    if len(answer.names) > 1:
        shown.print(f"also {', '.join(map(visible, answer.names[1:]))}", soft_wrap=True)
    for group in answer.groups:
        more = f", the first {len(group.facts)}" if group.total > len(group.facts) else ""
        title = f"{visible(group.relation)}, as {group.role}: {counted(group.total, 'fact')}{more}"
        shown.print(title, style="bold", soft_wrap=True)
        print_facts(shown, group.facts, "  ")
    if not answer.groups:
        tell("no facts")


@facts_app.command()
def find(
    head: Annotated[
        str | None, typer.Option(metavar="ENTITY", help="The entity that the relation starts from.")
    ] = None,
    relation: OfRelation = None,
    tail: Annotated[str | None, typer.Option(metavar="ENTITY", help="The entity that it leads to.")] = None,
    entity: Annotated[str | None, typer.Option(metavar="ENTITY", help="On either side.")] = None,
    store: Store = DEFAULT,
    min_score: LeastScore = 0.0,
    since: Since = None,
    until: Until = None,
    limit: Limit = 20,
    offset: Offset = 0,
    sentences: Sentences = 1,
    as_json: Json = False,
) -> None:
    """Find facts by head, relation and tail, as many of them as are given; the best first.

    Example: [bold]biaffinity facts find --relation Work_For --tail "Norvik Oil" --min-score 0.5[/bold]
    """
    from biaffinity.cli.facts.showing import console, print_facts

    with open_facts(store) as facts:
        found = facts.find(
            head=head,
            relation=relation,
            tail=tail,
            entity=entity,
            min_score=min_score,
            since=since,
            until=until,
            limit=limit,
            offset=offset,
            sentences=sentences,
        )
    if as_json:
        print_json(found)
    elif found:
        print_facts(console(), found)
    else:
        tell("no such fact")


@facts_app.command()
def path(
    start: Annotated[str, typer.Argument(metavar="FROM", help="An entity: a name, or an id such as #12.")],
    end: Annotated[str, typer.Argument(metavar="TO", help="Another.")],
    store: Store = DEFAULT,
    longest: Annotated[int, typer.Option(metavar="N", help="Facts on the way, at most.", min=1, max=10)] = 4,
    min_score: LeastScore = 0.0,
    sentences: Sentences = 1,
    as_json: Json = False,
) -> None:
    """Find a shortest way from one entity to another, over facts in either direction.

    Example: [bold]biaffinity facts path "Tove Lind" "Norvik Oil"[/bold]
    """
    from biaffinity.cli.facts.showing import called, console, print_facts

    with open_facts(store) as facts:
        answer = facts.path(start, end, longest=longest, min_score=min_score, sentences=sentences)
    if as_json:
        print_json(answer)
        return
    if answer.found:
        print_facts(console(), answer.facts)
        if not answer.facts:
            tell(f"both are {called(answer.start)}")
    else:
        rest = "" if answer.complete else "; entities with very many facts were not followed"
        ends = f"{called(answer.start)} to {called(answer.end)}"
        tell(f"no way of at most {counted(longest, 'fact')} from {ends}{rest}")


@facts_app.command()
def top(
    store: Store = DEFAULT,
    type: Type = None,
    relation: OfRelation = None,
    limit: Limit = 10,
    sentences: Sentences = 1,
    as_json: Json = False,
) -> None:
    """Show the entities and the facts that the most documents speak of, and how much there is.

    Example: [bold]biaffinity facts top --type Org[/bold]
    """
    from biaffinity.cli.facts.showing import console, entity_table, print_facts

    with open_facts(store) as facts:
        answer = facts.top(type=type, relation=relation, limit=limit, sentences=sentences)
        held = facts.summary()
    if as_json:
        print_json(answer)
    else:
        shown = console()
        shown.print(entity_table([(entity, "") for entity in answer.entities], ""))
        shown.print()
        print_facts(shown, answer.facts)
        known = f"{counted(held.entities, 'entity')} and {counted(held.facts, 'fact')}"
        tell(f"{known} in all, of {counted(held.documents, 'document')}")
    if held.waiting:
        tell(f"{counted(held.waiting, 'document')} changed since: biaffinity facts update reads them")


@facts_app.command()
def why(
    entity: Who,
    store: Store = DEFAULT,
    type: Type = None,
    as_json: Json = False,
) -> None:
    """Tell why names are one entity: its names, how they are written, and each reason that joins them.

    What is wrong is put right by [bold]biaffinity facts split[/bold] and [bold]merge[/bold].

    Example: [bold]biaffinity facts why "Paul Okafor"[/bold]
    """
    from biaffinity.cli.document_table import visible
    from biaffinity.cli.facts.showing import console, heading, told

    with open_facts(store) as facts:
        answer = facts.why(entity, type=type)
    if as_json:
        print_json(answer)
        return
    shown = console()
    shown.print(heading(answer.entity), soft_wrap=True)
    for name in answer.names:
        ways = ", ".join(f'"{visible(way)}"' for way in name.written)
        line = f"  {visible(name.name)} (#{name.id})  {counted(name.mentions, 'mention')}"
        shown.print(f"{line}, written {ways}" if ways else line, soft_wrap=True)
    for reason in answer.reasons:
        shown.print(f"  {told(reason)}", soft_wrap=True)
