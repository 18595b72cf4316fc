"""``biaffinity export``: a trained model for the runtime without PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from biaffinity.cli.app import app
from biaffinity.cli.console import talk, tell
from biaffinity.cli.options import ModelFolder
from biaffinity.errors import MissingExtraError, UsageError


@app.command()
def export(
    model: ModelFolder,
    int8: Annotated[
        bool,
        typer.Option(
            "--int8", help="Multiply in whole numbers of 8 bits, if F1 on --dev falls by at most 0.5 points."
        ),
    ] = False,
    dev: Annotated[
        Path | None, typer.Option(help="Annotated data that --int8 is judged by.", metavar="DATA")
    ] = None,
) -> None:
    """Add its graphs to a model, so that it runs without PyTorch.

    Training ends with this; do it again whenever the weights change. A model of an older version is
    brought up to date. Entities, relations and scores stay the same, but for --int8: that is for
    transformers, which it makes smaller and faster.

    Example: [bold]biaffinity export --model model/[/bold]

    Example: [bold]biaffinity export --model model/ --int8 --dev dev.jsonl[/bold]
    """
    if int8 != (dev is not None):
        raise UsageError("--int8 and --dev go together", remedy="give both: dev tells what int8 costs")
    try:
        from biaffinity.training.export import export as write_graphs
    except ModuleNotFoundError as error:
        raise MissingExtraError("exporting a model", "train") from error
    if dev is not None:
        _export_int8(model, dev)
        return
    with talk.status("tracing the network"):
        files = write_graphs(model)
    _tell_files(model, files)


def _export_int8(model: Path, dev: Path) -> None:
    from biaffinity import formats
    from biaffinity.training.int8 import ALLOWED_LOSS, export_int8

    sentences = list(formats.read(dev))
    with talk.status("tracing the network, and scoring it with and without int8"):
        outcome = export_int8(model, sentences)
    for way in outcome.tried:
        f1 = f"F1 on dev {100 * way.entities:.1f} of entities, {100 * way.relations:.1f} of relations"
        tell(f"{way.name}: {f1}, {way.bytes / 1e6:.1f} MB")
    _tell_files(model, outcome.files)
    if not outcome.kept:
        tell(f"int8 costs more than {100 * ALLOWED_LOSS:.1f} points of F1: exported without it")
        raise typer.Exit(1)


def _tell_files(model: Path, files: Sequence[Path]) -> None:
    size = sum(path.stat().st_size for path in files)
    tell(f"{', '.join(path.name for path in files)} written to {model}, {size / 1e6:.1f} MB")
