"""What a bias towards "no relation" gives and takes: relations on dev against those found where none is.

    python results/bias_and_spurious.py build/news/dev.jsonl build/news/held_out.jsonl MODEL... \
        [--test ../shared/data/conll04/test.jsonl] > results/news-students-bias.json

For each model its curve over biases (the paper's RC and strict micro F1 on dev, spurious relations
per 1,000 held-out sentences without one), and at the bias with the best RC on dev, and there alone, its
scores on test, which is named once a choice among models has been made without it. Models are calibrated on
dev first, but for the bias, which is on top of what they learnt.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.config.settings import CalibrationConfig
from biaffinity.model.folder import load_model
from biaffinity.model.joint import JointModel
from biaffinity.model.network import TorchNetwork
from biaffinity.scoring import ScoreSheet, score
from biaffinity.training.calibration import Replay, apply_calibration, fit_calibration
from biaffinity.training.provenance import provenance

BIASES = [step / 4 for step in range(-16, 9)]


class Biased:
    """A model's finds in some sentences under any bias."""

    def __init__(self, model: JointModel, sentences: Sequence[Sentence]) -> None:
        self._model, self._replay = model, Replay(TorchNetwork(model), model.description)
        self._sentences = sentences

    def found(self, bias: float) -> list[Sentence]:
        """The sentences as the model reads them."""
        self._replay.no_relation_bias = bias / float(self._model.relations.scorer.temperature)
        return self._replay.predict(self._sentences)

    def sheet(self, bias: float) -> ScoreSheet:
        """And how right it is."""
        return score(self._sentences, self.found(bias))


def judged(sheet: ScoreSheet) -> dict[str, float]:
    """The paper's scores and strict micro F1, in percent."""
    cells = {"ner": ("paper", "ner"), "rc": ("paper", "rc")}
    cells |= {"entities": ("ner", "micro"), "relations": ("re", "strict", "micro")}
    return {name: round(100 * sheet[cell].f1, 2) for name, cell in cells.items()}


def tried(
    model: JointModel,
    dev: Sequence[Sentence],
    held_out: Sequence[Sentence],
    test: Sequence[Sentence] | None = None,
) -> dict[str, Any]:
    """The curve of a model, and its test at the best point of dev."""
    fitted = fit_calibration(model, dev, CalibrationConfig(no_relation_bias="learnt"), ("paper", "rc"))
    apply_calibration(model, fitted)
    on_dev, without = Biased(model, dev), Biased(model, held_out)
    curve = {}
    for bias in BIASES:
        spurious = sum(len(sentence.relations) for sentence in without.found(bias))
        curve[bias] = {**judged(on_dev.sheet(bias)), "spurious": round(1000 * spurious / len(held_out), 1)}
    best = max(curve, key=lambda bias: (curve[bias]["rc"], bias))
    on_test = {} if test is None else {"test": judged(Biased(model, test).sheet(best))}
    return {"calibration": fitted.to_dict(), "bias": best, **on_test, "curve": curve}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("dev", type=Path)
    parser.add_argument("held_out", type=Path)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--test", type=Path)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    paths = [path for path in (arguments.dev, arguments.held_out, arguments.test) if path]
    data = [list(formats.read(path)) for path in paths]
    models = {folder.name: tried(load_model(folder), *data) for folder in arguments.models}
    print(json.dumps({**provenance(), "models": models}, indent=1))
