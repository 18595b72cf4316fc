"""``biaffinity export``: a trained model for the runtime without PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biaffinity.cli.app import app
from biaffinity.cli.console import tell


@app.command()
def export(model: Annotated[Path, typer.Argument(help="A model folder.", metavar="MODEL")]) -> None:
    """Add model.onnx to a trained model, so that it runs without PyTorch.

    Written from the weights in the folder, and to be written again whenever they change. Entities,
    relations and scores stay the same.

    Example: [bold]biaffinity export model/[/bold]
    """
    from biaffinity.extraction.export import export as write_graph

    path = write_graph(model)
    tell(f"{path} written, {path.stat().st_size / 1e6:.1f} MB")
