"""``biaffinity evaluate``: a model's score sheet on annotated data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from biaffinity import formats
from biaffinity.cli.app import app
from biaffinity.cli.console import print_tables, talk, tell, tell_changes, warn
from biaffinity.cli.options import AllScores, Device


@app.command()
def evaluate(
    model: Annotated[
        str,
        typer.Argument(help="A model folder, an embedded model, or owner/name on the hub.", metavar="MODEL"),
    ],
    data: Annotated[Path, typer.Argument(help="Annotated data, any known format.", metavar="DATA")],
    out: Annotated[
        Path | None,
        typer.Option("--json", help="Also write every score as JSON; - is stdout.", metavar="OUT"),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(
            "--report",
            help="Also write a web page of every mistake, to be opened offline.",
            metavar="OUT.html",
        ),
    ] = None,
    all_scores: AllScores = False,
    device: Device = "cpu",
) -> None:
    """Score a model on annotated data: entities and relations, strictly, and which types it confuses.

    With --all, every score under its name; --json has them all. A model of
    given boundaries is given the data's entity boundaries.

    Example: [bold]biaffinity evaluate model/ test.jsonl --json scores.json[/bold]

    Example: [bold]biaffinity evaluate model/ dev.jsonl --report errors.html[/bold]
    """
    from biaffinity.extraction.loading import load_network, model_folder

    network = load_network(model_folder(model), device=device)  # first: it tells what is missing

    from biaffinity.cli.sheet import sheet_table, short_tables, write_record
    from biaffinity.corpus.unknown_types import unknown_types
    from biaffinity.decoding.prediction import predict
    from biaffinity.scoring import score_with_confusions

    report = formats.Report()
    sentences = list(formats.read(data, report=report))
    tell_changes(report)
    known = network.description.schema
    for line in unknown_types(sentences, known.entity_types, known.relation_types):
        warn(line)
    with talk.status(f"evaluating on {len(sentences):,} sentences"):
        predicted = list(predict(network, sentences))
        sheet = score_with_confusions(sentences, predicted)
    to_stdout = out == Path("-")
    tables = [sheet_table(sheet)] if all_scores else short_tables(sheet)
    print_tables(tables, sys.stderr if to_stdout else sys.stdout)
    if out:
        write_record(sheet.to_dict(), None if to_stdout else out)
    if page:
        from biaffinity.show.error_page import write_error_page

        with talk.status(f"drawing {len(sentences):,} sentences"):
            write_error_page(
                page, sentences, predicted, sheet=sheet, title=f"{_name(Path(model))} on {_name(data)}"
            )
        tell(f"every mistake: {page}")


def _name(path: Path) -> str:
    """The last part of a path, also of one like ``.``: a page that is passed on tells no folders."""
    return path.name or path.resolve().name
