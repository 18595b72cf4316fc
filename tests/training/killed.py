"""A run that the system kills at a moment of our choice.

python -m training.killed MOMENT OUT TRAIN DEV [TRANSFORMER]
"""

from __future__ import annotations

import os
import signal
import sys
from itertools import count
from pathlib import Path

from biaffinity.model.joint import JointModel
from biaffinity.training import from_files, session
from biaffinity.training.calibration import Calibration
from training import tiny

#: Every kind of state, epochs better than those before, and a setting that calibration changes.
FULL = tiny.config(
    model={"entity_confidence_weight": 0.5},
    training={**tiny.WITH_ALL_STATE, "epochs": 3, "learning_rate": 0.12},
)


def fit_quickly(model: JointModel, *others: object) -> Calibration:
    """A calibration that takes no time; other weights, calibrated ones too, have another."""
    return Calibration(0.25, 1.5 + model.tagger.output.weight.abs().max().item(), 2.0)


def die(*arguments: object, **options: object) -> None:
    """As by kill -9: nothing is tidied up."""
    os.kill(os.getpid(), signal.SIGKILL)


def prepare(moment: str) -> None:
    """Let the process be killed at a moment."""
    if moment == "export":
        session.export = die  # type: ignore[assignment]
    elif moment == "description":
        save = session.save_description
        session.save_description = lambda model, out: (  # type: ignore[assignment]
            die() if (out / "model.safetensors").exists() else save(model, out)
        )
    else:
        fsync, calls = os.fsync, count()

        def until_the_second_checkpoint(handle: int) -> None:
            written = [path.name for path in OUT.iterdir() if path.name.endswith(".part")]
            if any("checkpoint" in name for name in written) and next(calls) == 1:
                die()
            fsync(handle)

        os.fsync = until_the_second_checkpoint


if __name__ == "__main__":
    import torch

    OUT = Path(sys.argv[2])
    torch.set_num_threads(1)
    session.fit_calibration = fit_quickly
    prepare(sys.argv[1])
    recipe = tiny.above(sys.argv[5], FULL) if len(sys.argv) > 5 else FULL
    from_files.train(recipe, train=sys.argv[3], dev=sys.argv[4], out=OUT)
