"""What the biaffine score costs in training against the linear one alone; the paper says 35% more.

    python results/biaffine_cost.py ../shared/data/conll04/train.jsonl \
        --vectors ../shared/vectors/glove.6B.100d.words.txt --json results/biaffine-cost.json

Both networks are trained in turns, some updates each on the same sentences, one thread. Times are the
process's own, so that a busy machine disturbs them little. The first turn of each is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from itertools import islice
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

RECIPES = ("paper", "paper-batched")
VARIANTS = ("full", "linear-only")


def seconds_per_sentence(trainer: Any, updates: int) -> float:
    """The processor time of some updates of a new epoch, by sentence."""
    trainer.model.train()
    started = time.process_time()
    read = sum(progress.sentences for progress, _ in islice(trainer._train_epoch(), updates))
    return (time.process_time() - started) / read


def measure(recipe: str, data: Any, sentences: int, turns: int) -> dict[str, Any]:
    """Milliseconds by sentence of both networks, and the ratio of each pair of turns."""
    from biaffinity.config.recipes import read_recipe
    from biaffinity.experiments.variants import VARIANTS as NETWORKS
    from biaffinity.training import Trainer

    trainers = {
        name: Trainer(read_recipe(recipe, NETWORKS[name].overrides), data, seed=1, device="cpu")
        for name in VARIANTS
    }
    updates = sentences // trainers["full"].config.training.batch_size
    times: dict[str, list[float]] = {name: [] for name in VARIANTS}
    for turn in range(turns + 1):
        for name in VARIANTS if turn % 2 else VARIANTS[::-1]:
            taken = seconds_per_sentence(trainers[name], updates)
            if turn:
                times[name].append(1000 * taken)
    ratios = [full / linear for full, linear in zip(*(times[name] for name in VARIANTS), strict=True)]
    low, _, high = statistics.quantiles(ratios, n=4)
    return {
        "sentences_per_update": trainers["full"].config.training.batch_size,
        "sentences_per_turn": sentences,
        "turns": turns,
        "milliseconds_per_sentence": {name: round(statistics.median(times[name]), 3) for name in VARIANTS},
        "ratio": round(statistics.median(ratios), 3),
        "middle_half_of_ratios": [round(low, 3), round(high, 3)],
    }


def main() -> None:
    """Measure under both recipes and write it down."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("train", type=Path)
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=160)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--json", type=Path, required=True)
    given = parser.parse_args()
    import torch

    from biaffinity import formats
    from biaffinity.encoders.recurrent.vectors import load_vectors
    from biaffinity.training import TrainingData
    from biaffinity.training.provenance import provenance

    torch.set_num_threads(1)
    sentences = list(formats.read(given.train))
    data = TrainingData(sentences, sentences[:1], None, load_vectors(given.vectors))
    result = {recipe: measure(recipe, data, given.sentences, given.turns) for recipe in RECIPES}
    given.json.write_text(json.dumps({**result, **provenance(), "load": os.getloadavg()[0]}, indent=2) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
