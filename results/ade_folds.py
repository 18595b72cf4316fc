"""ADE's ten folds as folders with train, dev and test.

    python results/ade_folds.py ../shared/data/ade build/ade-folds

folds.json tells whose test part a sentence is in; of the rest, dev is the sentences whose id's md5 is a
multiple of ten, as in the fold that comes with the corpus.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

FOLDS = 10


def main(data: Path, out: Path) -> None:
    """Write the folds of the corpus in ``data`` to ``out``."""
    folds = json.loads((data / "folds.json").read_text(encoding="utf-8"))
    lines = [
        line
        for part in ("train", "dev", "test")
        for line in (data / f"{part}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    for fold in range(FOLDS):
        parts: dict[str, list[str]] = {"train": [], "dev": [], "test": []}
        for line in lines:
            name = json.loads(line)["id"]
            in_dev = int(hashlib.md5(name.encode()).hexdigest(), 16) % 10 == 0
            parts["test" if folds[name] == fold else "dev" if in_dev else "train"].append(line)
        folder = out / str(fold)
        folder.mkdir(parents=True, exist_ok=True)
        for part, members in parts.items():
            (folder / f"{part}.jsonl").write_text("".join(f"{line}\n" for line in members), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
