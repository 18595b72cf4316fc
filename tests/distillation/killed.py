"""A distillation that the system kills while it writes.

python -m distillation.killed MOMENT OUT TEACHER... TEXT GOLD
"""

from __future__ import annotations

import os
import signal
import sys
from itertools import count
from pathlib import Path

import torch

from biaffinity.distillation import distil, labelling
from training import tiny

#: The file that is being written, and how many like it are whole before.
MOMENTS = {"part": ("part-", 1), "train": ("train", 0)}


def prepare(moment: str, out: Path) -> None:
    """Let the process be killed as by kill -9 when a file is all written and has not its name yet."""
    name, before = MOMENTS[moment]
    fsync, seen = os.fsync, count()

    def until_the_moment(handle: int) -> None:
        if any(path.name.startswith(f".{name}") for path in out.rglob(".*.part")) and next(seen) == before:
            os.kill(os.getpid(), signal.SIGKILL)
        fsync(handle)

    os.fsync = until_the_moment


if __name__ == "__main__":
    moment, out, *teachers, text, gold = sys.argv[1:]
    torch.set_num_threads(1)
    labelling.PART = 3
    prepare(moment, Path(out))
    distil(
        teachers,
        text=text,
        train=gold,
        dev=gold,
        out=out,
        gold_times=2,
        recipe=tiny.config(training={"epochs": 2}),
        device="cpu",
        graphs=False,
    )
