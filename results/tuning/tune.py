"""Recipe variants x seeds, side by side, judged on dev alone; one line of JSON per finished run.

    python results/tuning/tune.py VARIANTS.json --data ../shared/data/conll04 \
        --vectors ../shared/vectors/glove.6B.100d.words.txt --jobs 16 --out OUT.jsonl

VARIANTS.json: {"base": {config}, "variants": {name: {"section.key": value}}, "seeds": [1, 2, 3]}; "base" may
be the name of a recipe, and a variant may narrow the seeds with "seeds": [3]. No test file is ever opened.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Train one variant with one seed and return its dev scores."""
    import torch

    from biaffinity import formats
    from biaffinity.config.settings import validate
    from biaffinity.encoders.recurrent.vectors import load_vectors
    from biaffinity.training import EpochEnded, Trainer, TrainingData
    from biaffinity.training.provenance import provenance

    torch.set_num_threads(1)
    started = time.perf_counter()
    folder = Path(job["data"])
    parts = [list(formats.read(folder / f"{name}.jsonl")) for name in ("train", "dev")]
    data = TrainingData(*parts, None, load_vectors(Path(job["vectors"])) if job["vectors"] else None)
    config = validate(job["config"], where=job["name"])
    trainer = Trainer(config, data, seed=job["seed"], device=job["device"])
    epochs = [event for event in trainer.events() if isinstance(event, EpochEnded)]
    best = max(epochs, key=lambda event: event.selection)
    facts = provenance()
    return {
        "name": job["name"],
        "seed": job["seed"],
        "corpus": folder.name,
        "config": job["config"],
        "best_epoch": best.epoch,
        "entities": best.entities,
        "relations": best.relations,
        "selection": best.selection,
        "curve": [[round(event.entities, 4), round(event.relations, 4)] for event in epochs],
        "epoch_seconds": round(sum(event.train_seconds for event in epochs) / len(epochs), 2),
        "seconds": round(time.perf_counter() - started, 1),
        "commit": facts["commit"],
        "machine": facts["machine"],
    }


def jobs(spec: dict[str, Any], arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Every run of a file of variants, seed by seed."""
    from biaffinity.config.recipes import read_recipe

    base = spec["base"]
    if isinstance(base, str):
        base = read_recipe(base).model_dump()
    made = []
    for name, changes in spec["variants"].items():
        config = json.loads(json.dumps(base))
        for key, value in changes.items():
            if key != "seeds":
                section, option = key.split(".")
                config.setdefault(section, {})[option] = value
        made += [
            {"name": name, "config": config, "seed": seed, **vars(arguments)}
            for seed in changes.get("seeds", spec["seeds"])
        ]
    return made


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("variants", type=Path)
    parser.add_argument("--data", required=True)
    parser.add_argument("--vectors")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    work = jobs(json.loads(arguments.variants.read_text()), arguments)
    spawned = multiprocessing.get_context("spawn")  # CUDA does not survive a fork
    with ProcessPoolExecutor(arguments.jobs, mp_context=spawned) as pool, arguments.out.open("a") as file:
        for future in as_completed([pool.submit(run, job) for job in work]):
            result = future.result()
            file.write(json.dumps(result) + "\n")
            file.flush()
            print(
                f"{result['name']:24} seed {result['seed']}  epoch {result['best_epoch']:3}"
                f"  {100 * result['entities']:.1f} {100 * result['relations']:.1f}"
                f"  {result['seconds']:.0f} s",
                file=sys.stderr,
            )


if __name__ == "__main__":
    main()
