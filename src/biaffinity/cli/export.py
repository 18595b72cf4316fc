"""``biaffinity export``: a trained model for the runtime without PyTorch."""

from __future__ import annotations

from biaffinity.cli.app import app
from biaffinity.cli.console import talk, tell
from biaffinity.cli.options import ModelFolder
from biaffinity.errors import MissingExtraError


@app.command()
def export(model: ModelFolder) -> None:
    """Add its graphs to a model, so that it runs without PyTorch.

    Training ends with this; do it again whenever the weights change. A model of an older version is
    brought up to date. Entities, relations and scores stay the same.

    Example: [bold]biaffinity export --model model/[/bold]
    """
    try:
        from biaffinity.model.export import export as write_graphs
    except ModuleNotFoundError as error:
        raise MissingExtraError("exporting a model", "train") from error
    with talk.status("tracing the network"):
        files = write_graphs(model)
    size = sum(path.stat().st_size for path in files)
    tell(f"{', '.join(path.name for path in files)} written to {model}, {size / 1e6:.1f} MB")
