"""``biaffinity models`` and ``biaffinity info``: what there is to extract with, and what it knows."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from biaffinity.cli.app import app
from biaffinity.cli.console import print_tables
from biaffinity.cli.options import Json

if TYPE_CHECKING:
    from biaffinity.extraction.known import KnownModel


@app.command()
def models(as_json: Json = False) -> None:
    """List the models that are there: those of the package, and those of the hub in its cache.

    Example: [bold]biaffinity models[/bold]
    """
    from biaffinity.extraction.known import known_models

    known = [model.to_dict() for model in known_models()]
    if as_json:
        print(json.dumps(known, indent=2, ensure_ascii=False))
        return
    table = _table("model", "where", "MB", "entity types", "relations", "what it is for")
    for model in known:
        name = f"{model['name']} (default)" if model["default"] else model["name"]
        types = ", ".join(model["entity_types"])
        row = (name, model["place"], _megabytes(model), types, str(len(model["relation_types"])))
        table.add_row(*map(Text, (*row, model["summary"])))
    print_tables([table], sys.stdout)


@app.command()
def info(
    model: Annotated[
        str | None,
        typer.Argument(
            help="A model folder, a model of the package, or owner/name on the hub.", metavar="MODEL"
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what a model knows and how good it is: types, relations, scores, size, speed, data.

    Example: [bold]biaffinity info news[/bold]
    """
    from biaffinity.extraction.known import known_model

    known = known_model(model)
    if as_json:
        print(json.dumps(known.to_dict(), indent=2, ensure_ascii=False))
        return
    print_tables(list(_tables(known)), sys.stdout)


def _tables(known: KnownModel) -> list[Table]:
    record = known.to_dict()
    head = _table(record["name"] + (" (default)" if record["default"] else ""), "")
    for label, value in (
        ("for", record["summary"]),
        ("where", record["folder"]),
        ("network", f"{record['encoder']} encoder"),
        ("size", f"{_megabytes(record)} MB"),
        ("speed", record["speed"]),
    ):
        if value:
            head.add_row(label, Text(value))
    tables = [head]
    for title, kind in (("entity type", "entity_types"), ("relation", "relation_types")):
        described = any(record[kind].values())
        table = _table(title, *(("meaning", "Wikidata") if described else ()))
        for name, said in record[kind].items():
            table.add_row(Text(name), *([Text(said.get("meaning", "")), said.get("id", "")] * described))
        tables.append(table)
    if record["scores"]:
        table = _table("strict micro F1", "entities", "relations")
        for part, scores in record["scores"].items():
            table.add_row(Text(part), f"{scores['entities']:.1f}", f"{scores['relations']:.1f}")
        tables.append(table)
    if record["data"]:
        table = _table("learnt from")
        for line in record["data"]:
            table.add_row(Text(line))
        tables.append(table)
    return tables


def _megabytes(record: dict[str, Any]) -> str:
    return f"{record['bytes'] / 1e6:.1f}"


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(Text(column), overflow="fold")
    return table
