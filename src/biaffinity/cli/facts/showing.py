"""Answers as a person reads them: facts with the sentences that say so, entities in a table."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from biaffinity.cli.console import counted
from biaffinity.cli.document_table import visible
from biaffinity.facts.answers import Entity, Evidence, Fact, Reason

_SPACE = re.compile(r"\s")
_WIDTH = 110  # where there is no terminal to ask


def console() -> Console:
    """Where answers are printed: nothing in them is markup."""
    shown = Console(file=sys.stdout, markup=False, emoji=False, highlight=False)
    if shown.is_terminal:
        return shown
    return Console(file=sys.stdout, markup=False, emoji=False, highlight=False, width=_WIDTH)


def called(entity: Entity) -> str:
    """An entity in a line: its name, type and id."""
    return f"{visible(entity.name)} ({visible(entity.type)}, #{entity.id})"


def heading(entity: Entity) -> Text:
    """An entity and how much is known of it."""
    known = [counted(entity.facts, "fact"), counted(entity.mentions, "mention")]
    line = Text(called(entity), style="bold")
    return line.append(
        f"  {', '.join(known)} in {counted(entity.documents, 'document')}", style="not bold dim"
    )


def entity_table(entities: Iterable[tuple[Entity, str]], last: str) -> Table:
    """A row for each entity, with one cell more."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in ("id", "entity", "type", "documents", "facts", last):
        table.add_column(column, justify="right" if column in ("documents", "facts") else "left")
    for entity, cell in entities:
        name, type = visible(entity.name), visible(entity.type)
        row = (f"#{entity.id}", name, type, f"{entity.documents:,}", f"{entity.facts:,}", cell)
        table.add_row(*map(Text, row))
    return table


def print_facts(shown: Console, facts: Sequence[Fact], indent: str = "") -> None:
    """A line for each fact, and below it the sentences that say so."""
    for fact in facts:
        line = Text(indent)
        line.append(visible(fact.head.name), style="cyan").append(f" {visible(fact.relation)} ", style="bold")
        line.append(visible(fact.tail.name), style="cyan").append(f"  {_support(fact)}", style="dim")
        shown.print(line, soft_wrap=True)
        print_evidence(shown, fact.evidence, f"{indent}    ")


def print_evidence(shown: Console, evidence: Iterable[Evidence], indent: str) -> None:
    """Sentences with the two names marked, and the document that each stands in."""
    for each in evidence:
        # A character for a character, so that the names stay where they are.
        text = Text(_SPACE.sub(" ", visible(each.sentence)))
        for span in (each.head, each.tail):
            text.stylize("underline", span.start, span.end)
        text.rstrip()
        shown.print(Text(indent) + text.append(f"  [{visible(each.document)}]", "dim"), soft_wrap=True)


def _support(fact: Fact) -> str:
    score = "no score" if fact.score is None else f"{fact.score:.2f}"
    times = counted(fact.documents, "document")
    more = f", {fact.mentions:,} times" if fact.mentions > fact.documents else ""
    return f"{score}, {times}{more}"


def told(reason: Reason) -> str:
    """A reason in words."""
    pair = f"{visible(reason.name)} = {visible(reason.other)}"
    if not reason.together:
        pair = pair.replace(" = ", " is not ", 1)
    if reason.similarity is not None:
        return f"{pair}  {reason.rule}, {reason.similarity:.3f}"
    if reason.documents:
        place = f", such as {visible(reason.document)}" if reason.document else ""
        return f"{pair}  {reason.rule} in {counted(reason.documents, 'document')}{place}"
    return f"{pair}  {reason.rule}"
