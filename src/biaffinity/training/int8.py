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
from biaffinity.model.export import graph_contents, write_graphs
from biaffinity.runtime.network import OnnxNetwork
from biaffinity.scoring import score

#: What F1 of entities or of relations (strict micro) may lose on dev.
ALLOWED_LOSS = 0.005


@dataclass(frozen=True, slots=True)
class Int8Outcome:
    """F1 of entities and of relations on dev without and with int8, the files, and whether they were kept."""

    entities: tuple[float, float]
    relations: tuple[float, float]
    bytes: tuple[int, int]
    kept: bool
    files: tuple[Path, ...]


def export_int8(folder: Path, dev: Sequence[Sentence]) -> Int8Outcome:
    """Export a model in int8 if that costs no more than `ALLOWED_LOSS` on dev, else as it is."""
    exact = graph_contents(folder)
    rounded = graph_contents(folder, int8=True)
    if all(exact[name] == content for name, content in rounded.items()):
        raise UsageError(
            "has no matrix products that int8 is for: its time goes into LSTMs",
            where=str(folder),
            remedy="export it without --int8",
        )
    before, after = _f1(folder, exact, dev), _f1(folder, rounded, dev)
    kept = all(now >= then - ALLOWED_LOSS for then, now in zip(before, after, strict=True))
    files = write_graphs(folder, rounded if kept else exact)
    sizes = (sum(map(len, exact.values())), sum(map(len, rounded.values())))
    return Int8Outcome((before[0], after[0]), (before[1], after[1]), sizes, kept, tuple(files))


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
