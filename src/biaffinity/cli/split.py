"""``biaffinity split``: train, dev and test from one set of annotated data."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.cli.app import app
from biaffinity.cli.console import print_tables, tell, tell_changes
from biaffinity.errors import UsageError


@app.command()
def split(
    data: Annotated[Path, typer.Argument(help="Annotated data, any known format.", metavar="DATA")],
    out: Annotated[
        Path,
        typer.Option("-o", "--out", help="The folder for train.jsonl, dev.jsonl, test.jsonl.", metavar="DIR"),
    ],
    dev: Annotated[float, typer.Option(help="The share of dev, such as 0.1.", metavar="SHARE")] = 0.1,
    test: Annotated[
        float, typer.Option(help="The share of test; 0 makes no test.", metavar="SHARE", min=0)
    ] = 0.1,
    seed: Annotated[int, typer.Option(metavar="N", help="Another seed divides otherwise.", min=0)] = 1,
) -> None:
    """Divide annotated data into train, dev and test.

    Documents stay whole, and no text stands on two sides. Each part has its
    share of every relation type, and of the sentences without a relation.

    Example: [bold]biaffinity split annotated.brat --dev 0.1 --test 0.1 --out data/[/bold]
    """
    from biaffinity.corpus.division import divide

    paths = {name: out / f"{name}.jsonl" for name in ("train", "dev", "test") if name != "test" or test}
    for path in paths.values():
        if path.exists():
            raise UsageError("already exists", where=str(path), remedy="choose another folder for --out")
    report = formats.Report()
    sentences = list(formats.read(data, report=report))
    parts = divide(sentences, {"dev": dev} | ({"test": test} if test else {}), seed)
    for name, path in paths.items():
        formats.write(path, parts[name], "jsonl", report)
    tell_changes(report)
    print_tables([_table(parts, paths)], sys.stdout)
    tell(f"\nwritten to {out}")


def _table(parts: dict[str, list[Sentence]], paths: dict[str, Path]) -> Table:
    """What each file holds: sentences, documents where they are known, relations by type."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("", overflow="fold")
    for name in parts:
        table.add_column(Text(paths[name].name), justify="right")
    relations = {name: Counter(r.type for s in part for r in s.relations) for name, part in parts.items()}
    documents = {name: {s.document for s in part if s.document} for name, part in parts.items()}
    counts = {"sentences": [len(part) for part in parts.values()]}
    if any(documents.values()):
        counts["documents"] = [len(own) for own in documents.values()]
    counts["without a relation"] = [sum(not s.relations for s in part) for part in parts.values()]
    for type_, _ in sum(relations.values(), Counter[str]()).most_common():
        counts[type_] = [own[type_] for own in relations.values()]
    for label, row in counts.items():
        table.add_row(Text(label), *(f"{count:,}" for count in row))
    return table
