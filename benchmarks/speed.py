"""Training and prediction on one thread, beside the arithmetic they need and the machine's own rate.

    python benchmarks/speed.py [--data DIR] [--vectors V] [--json OUT]

DIR holds train.jsonl and dev.jsonl (CoNLL04 by default, from BIAFFINITY_DATA or ../shared/data; the
repository's own demo sentences where it is absent). Seconds are CPU seconds of the process, which other
work on a shared machine disturbs least; the matrix rate is measured just before and after each line.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from bars import Measured, show, write

os.environ.setdefault("OMP_NUM_THREADS", "1")

ROOT = Path(__file__).parent.parent


def flops_per_token(network: Any) -> float:
    """Multiplications and additions of one token's forward pass (characters apart)."""
    model, labels = network.config.model, len(network.description.labels)
    tokens = network.encoder.output_size
    tokens += model.boundary_size if model.boundaries == "given" else 0
    hidden = model.lstm_hidden

    def bilstm(size: int) -> float:
        layers = [size] + [2 * hidden] * (model.lstm_layers - 1)
        return sum(2 * 8 * hidden * (width + hidden) for width in layers)

    tagger = bilstm(tokens) + 2 * (2 * hidden * model.tagger_hidden + model.tagger_hidden * labels)
    relations = bilstm(tokens + (model.label_size if model.label_embeddings else 0))
    relations += 2 * 2 * hidden * model.projection if model.context else 0
    return tagger + relations


def flops_per_character(encoder: Any) -> float:
    """Multiplications and additions for one character of a distinct word form, both directions."""
    return 2 * 8 * encoder.character_hidden * (encoder.character_size + encoder.character_hidden)


def matrix_rate() -> float:
    """Floating-point operations per CPU second in a 512 x 512 matrix product."""
    import torch

    matrix = torch.randn(512, 512)
    matrix @ matrix
    started, count = time.process_time(), 0
    while time.process_time() - started < 0.15:
        for _ in range(10):
            matrix @ matrix
        count += 10
    return count * 2 * 512**3 / (time.process_time() - started)


def timed(work: Callable[[], Any]) -> tuple[float, float, float]:
    """CPU seconds and wall seconds of the work, and the matrix rate around it."""
    before = matrix_rate()
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return cpu, wall, (before + matrix_rate()) / 2


def measure_training(name: str, recipe: str, folder: Path, vectors: Path | None) -> dict[str, Any]:
    """One epoch after a first one that warms up, and the process's peak memory."""
    trainer = make_trainer(recipe, folder, vectors)
    lengths = [len(sentence) for sentence in trainer.sentences]
    characters = 0

    def epoch() -> None:
        for _ in trainer._train_epoch():
            pass

    def counting(batch: Callable[..., Any]) -> Callable[..., Any]:
        def counted(rows: Any) -> Any:
            nonlocal characters
            made, gold = batch(rows)
            characters += int(made.features["character_lengths"].sum())
            return made, gold

        return counted

    trainer.examples.batch = counting(trainer.examples.batch)
    epoch()
    characters = 0
    cpu, wall, rate = timed(epoch)
    needed = flops_per_token(trainer.model) * sum(lengths)
    needed = 3 * (needed + flops_per_character(trainer.config.encoder) * characters)
    return {
        "name": name,
        "sentences": len(lengths),
        "tokens": sum(lengths),
        "cpu_seconds": cpu,
        "wall_seconds": wall,
        "gflop_needed": needed / 1e9,
        "machine_gflops": rate / 1e9,
        "times_limit": cpu * rate / needed,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6,
    }


def measure_prediction(name: str, recipe: str, folder: Path, vectors: Path | None) -> dict[str, Any]:
    """Prediction with scores over the training sentences, after two epochs of training."""
    from biaffinity.decoding.prediction import predict
    from biaffinity.model.network import TorchNetwork

    trainer = make_trainer(recipe, folder, vectors)
    for _ in range(2):
        for _ in trainer._train_epoch():
            pass
    sentences = trainer.sentences

    def run() -> None:
        for _ in predict(TorchNetwork(trainer.model), sentences):
            pass

    run()
    cpu, wall, rate = timed(run)
    tokens = sum(len(sentence) for sentence in sentences)
    needed = flops_per_token(trainer.model) * tokens
    return {
        "name": name,
        "tokens": tokens,
        "tokens_per_second": tokens / cpu,
        "cpu_seconds": cpu,
        "wall_seconds": wall,
        "gflop_needed": needed / 1e9,
        "machine_gflops": rate / 1e9,
        "times_limit": cpu * rate / needed,
    }


def make_trainer(recipe: str, folder: Path, vectors: Path | None) -> Any:
    """A fresh run of a recipe on the data."""
    import torch

    from biaffinity import formats
    from biaffinity.config.recipes import read_recipe
    from biaffinity.encoders.recurrent.vectors import load_vectors
    from biaffinity.training import Trainer, TrainingData

    torch.set_num_threads(1)
    train, dev = (list(formats.read(folder / f"{part}.jsonl")) for part in ("train", "dev"))
    data = TrainingData(train, dev, None, load_vectors(vectors) if vectors else None)
    return Trainer(read_recipe(recipe), data, seed=1, device="cpu")


def find_data() -> tuple[Path, Path | None]:
    """CoNLL04 and its vectors where they can be had, else the demo sentences and none."""
    shared = ROOT.parent / "shared"
    folder = Path(os.environ.get("BIAFFINITY_DATA", shared / "data")) / "conll04"
    if not (folder / "train.jsonl").is_file():
        return ROOT / "samples" / "demo", None
    vectors = shared / "vectors" / "glove.6B.100d.words.txt"
    return folder, vectors if vectors.is_file() else None


def in_child(work: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """The result of work in a process of its own, so that its memory is its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    folder, vectors = find_data()
    parser.add_argument("--data", type=Path, default=folder)
    parser.add_argument("--vectors", type=Path, default=vectors)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    where = arguments.data, arguments.vectors
    print(f"data: {arguments.data.name}, vectors: {arguments.vectors.name if arguments.vectors else 'none'}")
    rows = [
        in_child(measure_training, "training epoch, default recipe", "default", *where),
        in_child(measure_training, "training epoch, paper recipe", "paper", *where),
        in_child(measure_prediction, "prediction from tokens", "default", *where),
    ]

    print(f"{'':34} {'CPU s':>7} {'wall s':>7} {'GFLOP':>7} {'machine':>8} {'x limit':>8}")
    for row in rows:
        print(
            f"{row['name']:34} {row['cpu_seconds']:7.2f} {row['wall_seconds']:7.2f}"
            f" {row['gflop_needed']:7.1f} {row['machine_gflops']:8.1f} {row['times_limit']:8.2f}"
        )
    measured = beside_bars(*rows, with_bars=arguments.data.name == "conll04")
    show(measured)
    if arguments.json:
        write(arguments.json, measured, {"data": arguments.data.name, "rows": rows})


def beside_bars(
    default: dict[str, Any], paper: dict[str, Any], prediction: dict[str, Any], *, with_bars: bool
) -> list[Measured]:
    """What was measured beside its bars, which are for CoNLL04 alone."""
    measured = [
        Measured(default["name"], default["cpu_seconds"], "s", "at most", 6),
        Measured("the same against the limit", default["times_limit"], "times", "at most", 3),
        Measured(paper["name"], paper["cpu_seconds"], "s", "at most", 30),
        Measured(prediction["name"], prediction["tokens_per_second"], "tokens/s", "at least", 20_000),
        Measured("memory in training", default["peak_mb"], "MB", "under", 1000),
    ]
    return measured if with_bars else [replace(one, bar=None) for one in measured]


if __name__ == "__main__":
    sys.exit(main())
