"""One model from several that went on from the same one: the mean of their weights.

    python recipes/mean_of_models.py out model-1 model-2 model-3

Runs of a student's last epochs that differ in their seed alone end near each other, and their mean is as good
as the best of them without anyone having to know which that is (Wortsman et al. 2022, "Model soups").
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import torch

from biaffinity.config.seal import seal
from biaffinity.encoders.recurrent.featuriser import VOCABULARY
from biaffinity.errors import DataError
from biaffinity.model.folder import load_model, owned_tensors, save_description, save_weights


def average(folders: Sequence[Path], out: Path) -> None:
    """Write the mean of the models in ``folders``, which have one network and one vocabulary."""
    words = (folders[0] / VOCABULARY).read_bytes()
    for folder in folders:
        if (folder / VOCABULARY).read_bytes() != words:
            raise DataError("has other words than the first model", where=str(folder))
    models = [load_model(folder) for folder in folders]
    weights = [owned_tensors(model) for model in models]
    mean = {name: torch.stack([own[name].float() for own in weights]).mean(0) for name in weights[0]}
    out.mkdir(parents=True, exist_ok=True)
    save_description(models[0], out)
    save_weights(mean, out, precision=models[0].config.training.precision)
    seal(out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder to write")
    parser.add_argument("models", type=Path, nargs="+", help="folders of models that have one start")
    arguments = parser.parse_args()
    average(arguments.models, arguments.out)
