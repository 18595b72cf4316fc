"""``biaffinity evaluate``: a model's score sheet on annotated data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from biaffinity import formats
from biaffinity.cli.app import app
from biaffinity.cli.console import counted, print_tables, talk, tell, tell_changes, warn
from biaffinity.cli.options import AllScores, Device, Json, Model


@app.command()
def evaluate(
    data: Annotated[Path, typer.Argument(help="Annotated data, any known format.", metavar="DATA")],
    model: Model = None,
    as_json: Json = False,
    page: Annotated[
        Path | None,
        typer.Option(
            "--report",
            help="Also write a web page of every mistake, to be opened offline.",
            metavar="PAGE",
        ),
    ] = None,
    all_scores: AllScores = False,
    device: Device = "cpu",
) -> None:
    """Score a model on annotated data: entities and relations, strictly, and which types it confuses.

    With --all, every score under its name; --json has them all. A model of
    given boundaries is given the data's entity boundaries.

    Example: [bold]biaffinity evaluate test.jsonl --model model/ --json > scores.json[/bold]

    Example: [bold]biaffinity evaluate dev.jsonl --model model/ --report errors.html[/bold]
    """
    from biaffinity.extraction.loading import DEFAULT_MODEL, load_network, model_folder

    network = load_network(model_folder(model), device=device)  # first: it tells what is missing

    from biaffinity.cli.sheet import print_record, sheet_table, short_tables
    from biaffinity.corpus.unknown_types import unknown_types
    from biaffinity.decoding.prediction import predict
    from biaffinity.scoring import score_with_confusions

    report = formats.Report()
    sentences = list(formats.read(data, report=report))
    tell_changes(report)
    known = network.description.schema
    for line in unknown_types(sentences, known.entity_types, known.relation_types):
        warn(line)
    with talk.status(f"evaluating on {counted(len(sentences), 'sentence')}"):
        predicted = list(predict(network, sentences))
        sheet = score_with_confusions(sentences, predicted)
    if as_json:
        print_record(sheet.to_dict())
    else:
        print_tables([sheet_table(sheet)] if all_scores else short_tables(sheet), sys.stdout)
    if page:
        from biaffinity.show.error_page import write_error_page

        with talk.status(f"drawing {counted(len(sentences), 'sentence')}"):
            title = f"{_name(Path(model or DEFAULT_MODEL))} on {_name(data)}"
            write_error_page(page, sentences, predicted, sheet=sheet, title=title)
        tell(f"every mistake: {page}")


def _name(path: Path) -> str:
    """The last part of a path, also of one like ``.``: a page that is passed on tells no folders."""
    return path.name or path.resolve().name
