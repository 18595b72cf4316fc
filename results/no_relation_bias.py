"""Is a bias towards "no relation", fitted on dev, worth anything where it was not fitted?

Each model's bias is fitted on one half of dev, under each rule, and relations are scored on the other half;
then the other way round. The models are finished runs of the recipe `default`, whose own calibration is
undone first.

    biaffinity reproduce --recipe default --variants full --seeds 10 ... --out runs/default
    python results/no_relation_bias.py ../shared/data/conll04/dev.jsonl runs/default/full/* \
        > results/no-relation-bias.jsonl
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
from biaffinity.files import read_json
from biaffinity.model.folder import load_model
from biaffinity.model.joint import JointModel
from biaffinity.model.network import TorchNetwork
from biaffinity.scoring import score
from biaffinity.training.calibration import Calibration, Replay, apply_calibration, fit_calibration

CELL = ("re", "strict", "micro")
RULES = [(rule, tolerance) for rule in ("fitted", "cautious") for tolerance in (0.0, 0.005, 0.01, 0.02)]


def uncalibrated(folder: Path) -> JointModel:
    """The model of a finished run as it was before its last step."""
    model, fitted = load_model(folder), read_json(folder / "run.json")["calibration"]
    apply_calibration(
        model,
        Calibration(
            -fitted["no_relation_bias"], 1 / fitted["entity_temperature"], 1 / fitted["relation_temperature"]
        ),
    )
    return model


def tried(model: JointModel, fit_on: Sequence[Sentence], score_on: Sequence[Sentence]) -> dict[str, Any]:
    """F1 of relations (strict micro, and the paper's RC) without a bias and under each rule."""
    replay = Replay(TorchNetwork(model), model.description)

    def f1(bias: float) -> dict[str, float]:
        replay.no_relation_bias = bias
        sheet = score(score_on, replay.predict(score_on))
        return {"bias": bias, "strict_micro": sheet[CELL].f1, "rc": sheet["paper", "rc"].f1}

    results = {"none": f1(0.0)}
    for rule, tolerance in RULES:
        settings = CalibrationConfig(temperatures=False, no_relation_bias=rule, tolerance=tolerance)
        bias = fit_calibration(model, fit_on, settings, CELL).no_relation_bias
        results[f"{rule} {tolerance}"] = f1(bias)
    return results


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("dev", type=Path)
    parser.add_argument("runs", type=Path, nargs="+")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    sentences = list(formats.read(arguments.dev))
    halves = sentences[::2], sentences[1::2]
    for run in arguments.runs:
        model = uncalibrated(run)
        both = [tried(model, halves[0], halves[1]), tried(model, halves[1], halves[0])]
        print(json.dumps({"run": run.name, "halves": both}), flush=True)
