"""One model from several that went on from the same one: the mean of their weights.

    python recipes/mean_of_models.py out model-1 model-2 --twins twin-1 twin-2 --dev dev.jsonl \
        --unrelated held_out.jsonl

Runs of a student's last epochs that differ in their seed alone end near each other, and their mean is as good
as the best of them without anyone having to know which that is (Wortsman et al. 2022, "Model soups").

Models that have learnt from dev cannot be calibrated on it. Their twins, which differ in that alone, can:
what is fitted on dev with the mean of the twins is given to the mean of the models. None of them may be
calibrated before. Dev has too few sentences without a relation to tell how many are found where none is: that
is bounded on sentences without one that none of the models has learnt from.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.config.recipes import read_recipe
from biaffinity.config.seal import seal
from biaffinity.decoding.prediction import predict
from biaffinity.distillation.session import RECIPE
from biaffinity.encoders.recurrent.featuriser import VOCABULARY
from biaffinity.errors import DataError
from biaffinity.model.folder import load_model, owned_tensors, save_description, save_weights
from biaffinity.model.joint import JointModel
from biaffinity.model.network import TorchNetwork
from biaffinity.training.calibration import Calibration, apply_calibration, fit_calibration
from biaffinity.training.selection import Selection

#: Relations in 1,000 sentences without one that are borne, and the steps of the bias towards "no relation".
SPURIOUS, STEP = 60, 0.05


def mean_of(folders: Sequence[Path]) -> JointModel:
    """The mean of the models in ``folders``, which have one network and one vocabulary."""
    words = (folders[0] / VOCABULARY).read_bytes()
    for folder in folders:
        if (folder / VOCABULARY).read_bytes() != words:
            raise DataError("has other words than the first model", where=str(folder))
    models = [load_model(folder) for folder in folders]
    weights = [owned_tensors(model) for model in models]
    with torch.no_grad():
        for name, own in weights[0].items():
            own.copy_(torch.stack([other[name].float() for other in weights]).mean(0))
    return models[0]


def calibration_by(twins: Sequence[Path], dev: Path) -> Calibration:
    """What the recipe of students asks for, fitted on dev with the mean of twins."""
    settings, twin = read_recipe(RECIPE, ()), mean_of(twins)
    return fit_calibration(
        twin, list(formats.read(dev)), settings.calibration, Selection.of(settings).relations
    )


def write_mean(folders: Sequence[Path], out: Path, calibration: Calibration | None = None) -> None:
    """Write the mean of the models in ``folders``."""
    model = mean_of(folders)
    if calibration is not None:
        apply_calibration(model, calibration)
    out.mkdir(parents=True, exist_ok=True)
    save_description(model, out)
    save_weights(owned_tensors(model), out, precision=model.config.training.precision)
    seal(out)


def write_careful_mean(
    folders: Sequence[Path], out: Path, calibration: Calibration, unrelated: Sequence[Sentence]
) -> Calibration:
    """Write it with as little more of "no relation" as it takes to find few where none is; what that is.

    The model is asked as it was written: rounding alone may bring a relation or take it away.
    """
    while True:
        write_mean(folders, out, calibration)
        found = sum(len(sentence.relations) for sentence in predict(TorchNetwork(load_model(out)), unrelated))
        if 1000 * found <= SPURIOUS * len(unrelated):
            return calibration
        bias = round(calibration.no_relation_bias + STEP, 2)
        calibration = replace(calibration, no_relation_bias=bias)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder to write")
    parser.add_argument("models", type=Path, nargs="+", help="folders of models that have one start")
    parser.add_argument("--twins", type=Path, nargs="+", help="such models that have not learnt from dev")
    parser.add_argument("--dev", type=Path, help="what to calibrate the twins on")
    parser.add_argument("--unrelated", type=Path, help="sentences without a relation that nobody learnt from")
    arguments = parser.parse_args()
    if len({arguments.twins is None, arguments.dev is None, arguments.unrelated is None}) > 1:
        parser.error("--twins, --dev and --unrelated go together")
    if arguments.twins is None:
        write_mean(arguments.models, arguments.out)
    else:
        fitted = calibration_by(arguments.twins, arguments.dev)
        held_out = list(formats.read(arguments.unrelated))
        print(write_careful_mean(arguments.models, arguments.out, fitted, held_out))
