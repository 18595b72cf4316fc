"""``biaffinity check``: what to know about a corpus before training on it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.cli.app import app
from biaffinity.cli.console import print_tables, talk
from biaffinity.cli.options import Json, Whole
from biaffinity.errors import DataError
from biaffinity.formats.report import Report


@dataclass(frozen=True)
class _Split(Iterable[Sentence]):
    """The sentences of a file, opened in its turn, so that an error in opening it is its own."""

    path: Path
    format: str | None
    whole: bool
    changes: Report = field(default_factory=Report)

    def __iter__(self) -> Iterator[Sentence]:
        return formats.read(self.path, self.format, self.changes, split=not self.whole)


@app.command()
def check(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="DATA",
            help="The splits of a corpus. Names tell train, dev and test apart; where none says "
            "train, the first is the training data.",
            show_default=False,
        ),
    ],
    format: Annotated[
        str | None,
        typer.Option("--from", help="The format of the files.", metavar="FORMAT", show_default="guessed"),
    ] = None,
    whole: Whole = False,
    as_json: Json = False,
) -> None:
    """Look at a corpus before training on it: what it holds, and what is wrong with it.

    Counts sentences, labels and the types that relations join in every split.
    Finds repeated sentences, overlapping entities, labels that training never
    shows, damaged text. Ends with 1 when the data cannot be trained on.

    Example: [bold]biaffinity check train.jsonl dev.jsonl test.jsonl[/bold]
    """
    from biaffinity.corpus import check as check_corpus
    from biaffinity.corpus import named
    from biaffinity.corpus.tables import tables

    for path in paths:  # before the others are counted, which may take long
        if not path.exists():
            raise DataError("no such file or folder", where=str(path), remedy="check the path")
    splits = {name: _Split(path, format, whole) for name, path in named(paths).items()}
    with talk.status("checking"):
        report = check_corpus(splits, {name: split.changes for name, split in splits.items()})
    if as_json:
        sys.stdout.write(json.dumps(report.to_dict(), indent=2) + "\n")
    else:
        print_tables(tables(report), sys.stdout)
    if not report.trainable:
        raise typer.Exit(1)
