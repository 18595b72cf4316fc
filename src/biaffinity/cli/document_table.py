"""Documents as a person reads them: the text, then its entities and relations, in colour on a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import IO

from rich.console import Console
from rich.table import Table

from biaffinity.annotation import Document

_WIDTH = 120  # where there is no terminal to ask
# Shown as they are, these would be obeyed by a terminal.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def print_documents(documents: Iterable[Document], file: IO[str]) -> None:
    """Print each document as it comes, with characters and scores."""
    # Text may hold brackets and colons: nothing in it is markup.
    console = Console(file=file, markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        console = Console(file=file, markup=False, emoji=False, highlight=False, width=_WIDTH)
    for number, document in enumerate(documents):
        if number:
            console.print()
        console.print(visible(document.text.strip()), style="bold", soft_wrap=True)
        if document.entities:
            console.print(_table(document))
        else:
            console.print("no entities", style="dim")


def _table(document: Document) -> Table:
    table = Table("", "type", "characters", "score", "text", box=None, header_style="dim")
    for entity in document.entities:
        place = f"{entity.start_char}-{entity.end_char}"
        table.add_row("entity", entity.type, place, _score(entity.score), visible(entity.text), style="cyan")
    for relation in document.relations:
        place = f"{relation.start_char}-{relation.end_char}"
        arguments = f"{visible(relation.head.text)} -> {visible(relation.tail.text)}"
        table.add_row("relation", relation.type, place, _score(relation.score), arguments, style="green")
    return table


def _score(score: float | None) -> str:
    return "" if score is None else f"{score:.2f}"


def visible(text: str) -> str:
    """A text with nothing in it that a terminal would obey."""
    return _CONTROLS.sub("\ufffd", text)
