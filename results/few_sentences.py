"""Recipes on few sentences: what results/few_sentences.json was made with.

    python results/few_sentences.py DATA VECTORS RECIPE --sentences 30 --draw 1 [--set A.B=V ...] >> OUT.jsonl

Draws so many sentences from DATA/train.jsonl, a fifth of them as dev, trains on the rest with the draw's
number as seed, and scores each epoch that the small dev calls better on the whole of DATA/dev.jsonl. So one
run tells what any patience would have kept.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
from pathlib import Path

import torch

from biaffinity import formats
from biaffinity.config.recipes import read_recipe
from biaffinity.encoders.recurrent.vectors import load_vectors_for
from biaffinity.scoring import ScoreSheet
from biaffinity.training import EpochEnded, Trainer, TrainingData
from biaffinity.training.calibration import apply_calibration, fit_calibration


def f1(sheet: ScoreSheet) -> tuple[float, float]:
    """Strict micro F1 of entities and of relations, in percent."""
    return round(100 * sheet["ner", "micro"].f1, 1), round(100 * sheet["re", "strict", "micro"].f1, 1)


def main() -> None:
    """One run; its line of JSON goes to stdout."""
    parser = argparse.ArgumentParser(description="Train on few sentences and judge on many.")
    parser.add_argument("data", type=Path, help="a folder with train.jsonl and dev.jsonl")
    parser.add_argument("vectors", help="a file of word vectors, or none")
    parser.add_argument("recipe")
    parser.add_argument("--sentences", type=int, default=30)
    parser.add_argument("--draw", type=int, default=1)
    parser.add_argument("--set", dest="overrides", action="append", default=[])
    asked = parser.parse_args()

    torch.set_num_threads(1)
    drawn = list(formats.read(asked.data / "train.jsonl"))
    random.Random(asked.draw).shuffle(drawn)
    held_back = round(asked.sentences / 5)
    dev, train = drawn[:held_back], drawn[held_back : asked.sentences]
    judges = list(formats.read(asked.data / "dev.jsonl"))
    config = read_recipe(asked.recipe, asked.overrides)
    vectors = (
        None
        if asked.vectors == "none"
        else load_vectors_for(config.encoder, Path(asked.vectors), [*train, *dev, *judges])
    )
    trainer = Trainer(config, TrainingData(train, dev, vectors=vectors), seed=asked.draw, device="cpu")
    history, better = [], []
    for event in trainer.events():
        if isinstance(event, EpochEnded):
            history.append(round(event.selection, 4))
            if event.best:
                kept = copy.deepcopy(trainer.model.state_dict())
                better.append((event.epoch, *f1(trainer.evaluate(judges))))
    last = f1(trainer.evaluate(judges))
    trainer.model.load_state_dict(kept)
    fitted = fit_calibration(trainer.model, dev, config.calibration, trainer.selection.relations)
    apply_calibration(trainer.model, fitted)
    record = {
        "recipe": asked.recipe,
        "overrides": asked.overrides,
        "vectors": vectors is not None,
        "sentences": asked.sentences,
        "draw": asked.draw,
        "better": better,  # epoch, F1 of entities, F1 of relations
        "last": last,
        "calibrated": f1(trainer.evaluate(judges)),
        "dev": history,
    }
    print(json.dumps(record))


if __name__ == "__main__":
    main()
