"""A model's graphs in int8, kept if dev says that they see the same."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from biaffinity.annotation import Sentence
from biaffinity.config.folder import graph_path, model_files
from biaffinity.decoding.prediction import predict
from biaffinity.errors import UsageError
from biaffinity.layers.onnx_int8 import Int8
from biaffinity.model.export import graph_contents, write_graphs
from biaffinity.runtime.network import OnnxNetwork
from biaffinity.scoring import score

#: What F1 of entities or of relations (strict micro) may lose on dev.
ALLOWED_LOSS = 0.005
#: What is tried, the fastest first.
WAYS: tuple[Int8, ...] = ("widening", "square")


@dataclass(frozen=True, slots=True)
class Way:
    """A way to export a model: F1 of entities and of relations on dev, and how large its graphs are."""

    name: str
    entities: float
    relations: float
    bytes: int

    def allows(self, other: Way) -> bool:
        """Whether another way costs little enough."""
        losses = (self.entities - other.entities, self.relations - other.relations)
        return max(losses) <= ALLOWED_LOSS


@dataclass(frozen=True, slots=True)
class Int8Outcome:
    """What was tried, in this order, and the files that were written.

    The first way is without int8. The last one is written if dev allows it, else the first.
    """

    tried: tuple[Way, ...]
    kept: bool
    files: tuple[Path, ...]


def export_int8(folder: Path, dev: Sequence[Sentence]) -> Int8Outcome:
    """Export a model with as much in int8 as costs no more than `ALLOWED_LOSS` on dev."""
    exact = graph_contents(folder)
    tried = [_way("without int8", folder, exact, dev)]
    for which in WAYS:
        rounded = graph_contents(folder, which)
        if rounded == exact:
            raise UsageError(
                "has no matrix products that int8 is for: its time goes into LSTMs",
                where=str(folder),
                remedy="export it without --int8",
            )
        tried.append(_way(f"{which} products in int8", folder, rounded, dev))
        if tried[0].allows(tried[-1]):
            return Int8Outcome(tuple(tried), True, tuple(write_graphs(folder, rounded)))
    return Int8Outcome(tuple(tried), False, tuple(write_graphs(folder, exact)))


def _way(name: str, folder: Path, graphs: dict[str, bytes], dev: Sequence[Sentence]) -> Way:
    entities, relations = _f1(folder, graphs, dev)
    return Way(name, entities, relations, sum(map(len, graphs.values())))


def _f1(folder: Path, graphs: dict[str, bytes], dev: Sequence[Sentence]) -> tuple[float, float]:
    """F1 of a model with these graphs, which are tried out aside: an export is whole or not at all."""
    with tempfile.TemporaryDirectory() as aside:
        for path in model_files(folder):
            (Path(aside) / path.name).symlink_to(path.absolute())
        for name, content in graphs.items():
            path = graph_path(Path(aside), name)
            path.unlink(missing_ok=True)
            path.write_bytes(content)
        sheet = score(dev, predict(OnnxNetwork.load(Path(aside)), dev, scores=False))
    return sheet["ner", "micro"].f1, sheet["re", "strict", "micro"].f1
