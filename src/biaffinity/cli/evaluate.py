"""``biaffinity evaluate``: a model's score sheet on annotated data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from biaffinity import formats
from biaffinity.cli.app import app
from biaffinity.cli.console import counted, print_tables, talk, tell, tell_changes
from biaffinity.cli.options import Device, Json, Model


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
    device: Device = "cpu",
) -> None:
    """Score a model on annotated data: the whole matrix, each cell under its name.

    A model of given boundaries is given the data's entity boundaries.

    Example: [bold]biaffinity evaluate test.jsonl --model model/ --json > scores.json[/bold]

    Example: [bold]biaffinity evaluate dev.jsonl --model model/ --report errors.html[/bold]
    """
    from biaffinity.extraction.loading import DEFAULT_MODEL, load_network, model_folder

    network = load_network(model_folder(model), device=device)  # first: it tells what is missing

    from biaffinity.cli.sheet import print_record, sheet_table
    from biaffinity.decoding.prediction import predict
    from biaffinity.scoring import score

    report = formats.Report()
    sentences = list(formats.read(data, report=report))
    tell_changes(report)
    with talk.status(f"evaluating on {counted(len(sentences), 'sentence')}"):
        predicted = list(predict(network, sentences))
        sheet = score(sentences, predicted)
    if as_json:
        print_record(sheet.to_dict())
    else:
        print_tables([sheet_table(sheet)], sys.stdout)
    if page:
        from biaffinity.show.error_page import write_error_page

        with talk.status(f"drawing {counted(len(sentences), 'sentence')}"):
            title = f"{_name(Path(model or DEFAULT_MODEL))} on {_name(data)}"
            write_error_page(page, sentences, predicted, sheet=sheet, title=title)
        tell(f"every mistake: {page}")


def _name(path: Path) -> str:
    """The last part of a path, also of one like ``.``: a page that is passed on tells no folders."""
    return path.name or path.resolve().name
