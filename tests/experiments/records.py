"""Runs on disk that were never run: records with scores of our choice."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.config.recipes import read_recipe
from biaffinity.experiments.paper_scores import CORPUS, DEV
from biaffinity.experiments.variants import VARIANTS
from biaffinity.scoring import score

GOLD = [
    Sentence(
        ["Ida", "Moor", "left", "Port", "Vane"],
        [Entity(0, 2, "Peop"), Entity(3, 5, "Loc")],
        [Relation("Live_In", 0, 1)],
        id="a",
    )
]
#: Fingerprints of data that is not the paper's.
OTHER_CORPUS = {"dev": "d" * 64, "test": "e" * 64}


def sheet(entities: float, relations: float) -> dict[str, Any]:
    """A score sheet whose headline numbers, in percent, are these."""
    made = score(GOLD, GOLD).to_dict()
    for name in ("ner", "ec"):
        made["paper"][name]["f1"] = entities / 100
    made["paper"]["rc"]["f1"] = relations / 100
    return made


def record(
    variant: str = "full",
    setup: int = 1,
    seed: int = 1,
    *,
    dev: tuple[float, float] = (87.0, 67.0),
    test: tuple[float, float] | None = (86.0, 64.0),
    corpus: Mapping[str, str] = CORPUS,
    overrides: tuple[str, ...] = (),
    **facts: Any,
) -> dict[str, Any]:
    """What run.json holds at the end of a run."""
    boundaries = {1: "predicted", 2: "given"}[setup]
    model = [*overrides, *VARIANTS[variant].overrides, f"model.boundaries={boundaries}"]
    scores = {"dev": sheet(*dev)} | ({"test": sheet(*test)} if test else {})
    files = {part: {"file": f"{part}.jsonl", "sentences": 1, "sha256": corpus[part]} for part in scores}
    return {
        "recipe": "paper.toml",
        "seed": seed,
        "device": "cpu",
        "vectors": None,
        "data": files,
        "config": read_recipe("paper", model).model_dump(),
        "command": "biaffinity reproduce",
        "commit": "abc123",
        "machine": {"processor": "Abacus", "cores": 2, "gpu": None},
        "versions": {"torch": "2.0"},
        "seconds": 12.0 + seed,
        "epochs_done": 3,
        "best_epoch": 2,
        "interrupted": False,
        "scores": scores,
        **facts,
    }


def write_run(folder: Path, epochs: int = 3, **facts: Any) -> Path:
    """A run's folder as `biaffinity.train` would leave it, without a model."""
    folder.mkdir(parents=True)
    made = record(**facts)
    (folder / "run.json").write_text(json.dumps(made))
    lines = [
        {"epoch": epoch, "entities": 0.8 + 0.01 * epoch, "relations": 0.5 + 0.01 * epoch}
        for epoch in range(1, epochs + 1)
    ]
    (folder / "history.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def write_matrix(
    root: Path,
    scores: Mapping[tuple[str, int], Mapping[int, tuple[float, float]]],
    **facts: Any,
) -> Path:
    """Runs by variant and setup, and by seed: their headline numbers, on dev and on test alike."""
    for (variant, setup), by_seed in scores.items():
        for seed, pair in by_seed.items():
            folder = root / variant / f"setup{setup}-seed{seed}"
            write_run(folder, variant=variant, setup=setup, seed=seed, dev=pair, test=pair, **facts)
    return root


def write_paper(root: Path, shift: float = 0.0, **facts: Any) -> Path:
    """Runs of two seeds whose means on dev are the paper's, each ``shift`` higher, its deviations too."""
    scores = {
        (variant, setup): {
            seed: tuple(cell.mean + shift + sign * cell.deviation / 2**0.5 for cell in pair)
            for seed, sign in ((1, -1), (2, 1))
        }
        for (setup, variant), pair in DEV.items()
    }
    return write_matrix(root, scores, **facts)
