"""``biaffinity predict``: a model's annotation of sentences."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import track

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.cli.app import app
from biaffinity.cli.console import counted, talk, tell, tell_changes
from biaffinity.cli.options import Device, Model
from biaffinity.cli.output import STDOUT, target_format, write_sentences


@app.command()
def predict(
    data: Annotated[Path, typer.Argument(help="Sentences, any known format.", metavar="DATA")],
    out: Annotated[
        Path, typer.Option("-o", "--out", help="What to write; - is stdout, as jsonl.", metavar="OUT")
    ],
    model: Model = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help="The format of OUT; jsonl has scores.",
            show_default="told by its name",
        ),
    ] = None,
    device: Device = "cpu",
) -> None:
    """Annotate sentences, with a score for every entity and relation.

    Annotation that the data already has is not looked at, except that a
    model of given boundaries is given its entity boundaries. An annotation
    tool (brat, doccano, labelstudio) is given the labels as the model's, with
    their scores.

    Example: [bold]biaffinity predict test.jsonl --model model/ -o predicted.jsonl[/bold]
    """
    from biaffinity.extraction.loading import load_network, model_folder

    form = target_format(out, to)
    folder = model_folder(model)
    network = load_network(folder, device=device)  # first: it tells what is missing

    from biaffinity.decoding.prediction import predict as annotate
    from biaffinity.extraction.identity import machine

    count, report = 0, formats.Report()

    def annotated() -> Iterator[Sentence]:
        nonlocal count
        sentences = annotate(network, formats.read(data, report=report))
        for sentence in track(
            sentences, "predicting", console=talk, transient=True, disable=not talk.is_terminal
        ):
            count += 1
            yield sentence

    write_sentences(out, annotated(), form, report, by=machine(model, folder))
    tell(f"{counted(count, 'sentence')} written to {'stdout' if out == STDOUT else out}")
    tell_changes(report)
