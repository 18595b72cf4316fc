"""The export of a model, and a look at what came of it."""

from __future__ import annotations

from pathlib import Path

from biaffinity.config.seal import seal
from biaffinity.errors import DataError
from biaffinity.model.export import export as write_all_graphs
from biaffinity.runtime.network import OnnxNetwork


def export(folder: Path) -> list[Path]:
    """Write the graphs of the model in a folder, and open them; their paths.

    Graphs that would be refused, as those of a transformer with unusual operators, are removed again: the
    model then runs in PyTorch.
    """
    files = write_all_graphs(folder)
    try:
        OnnxNetwork.load(folder)
    except DataError as error:
        for path in files:
            path.unlink()
        seal(folder)
        raise DataError(
            f"its graphs cannot be run: {error.what}",
            where=str(folder),
            remedy="run it with PyTorch, whose sizes and operators are not restricted",
        ) from error
    return files
