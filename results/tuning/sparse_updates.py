"""The paper's network with the updates of DyNet's Adam: of a table of vectors only rows just read are moved.

    python results/tuning/sparse_updates.py --data ../shared/data/conll04 \\
        --vectors ../shared/vectors/glove.6B.100d.words.txt --runs runs/sparse-updates --seeds 1 2 3 4 5
    biaffinity gather runs/sparse-updates --out results/tuning/sparse-updates.jsonl

Adam keeps a moving mean of gradients, so that a row which was read once is moved for some updates more. DyNet
leaves the rows that an update has not read, and their means, where they are. The runs are those of
`biaffinity reproduce --recipe paper-batched --variants full --setups 1`, seed by seed, but for that.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import biaffinity.training.trainer as trainer
from biaffinity.training import train
from biaffinity.training.optimiser import Optimiser

#: How the names of the tables of words, characters, boundaries and labels end.
TABLES = ("words.trained", "embedding.weight")


class SparseOptimiser(Optimiser):
    """Adam that leaves alone the rows of tables whose gradient is zero."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._tables = [table for name, table in self.parameters.items() if name.endswith(TABLES)]
        self._before: list[list[Tensor]] = []
        self.adam.register_step_pre_hook(self._keep)
        self.adam.register_step_post_hook(self._put_back)

    def _moving(self, table: Tensor) -> list[Tensor]:
        """What an update changes of a table: its rows, and both moving means of their gradients."""
        state = self.adam.state[table]
        if not state:
            return [table.detach(), torch.zeros_like(table), torch.zeros_like(table)]
        return [table.detach(), state["exp_avg"], state["exp_avg_sq"]]

    def _keep(self, *_: Any) -> None:
        self._before = [[part.clone() for part in self._moving(table)] for table in self._tables]

    def _put_back(self, *_: Any) -> None:
        for table, before in zip(self._tables, self._before, strict=True):
            assert table.grad is not None
            unread = (table.grad == 0).all(dim=1, keepdim=True)
            for part, earlier in zip(self._moving(table), before, strict=True):
                part.copy_(torch.where(unread, earlier, part))


def main() -> None:
    """Train with every seed that has no finished run yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--seeds", type=int, nargs="+", required=True)
    given = parser.parse_args()
    torch.set_num_threads(1)
    trainer.Optimiser = SparseOptimiser  # type: ignore[misc]
    for seed in given.seeds:
        finished = train(
            "paper-batched",
            **{part: given.data / f"{part}.jsonl" for part in ("train", "dev", "test")},
            vectors=given.vectors,
            out=given.runs / "full" / f"setup1-seed{seed}",
            seed=seed,
            resume=True,
            graphs=False,
        )
        dev = (100 * finished.dev["paper", of].f1 for of in ("ner", "rc"))
        print(f"seed {seed}: dev NER %.1f RC %.1f" % tuple(dev), flush=True)


if __name__ == "__main__":
    main()
