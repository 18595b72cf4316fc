"""The row of a ten-seed ensemble: models of several seeds put to the vote, thresholds chosen on dev.

python results/ensemble.py build/default/setup1-seed* --data ../shared/data/conll04
    --out results/ensemble/setup1.json
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.decoding.prediction import predict
from biaffinity.distillation.vote import vote_on_entities, vote_on_relations
from biaffinity.files import writing
from biaffinity.model.folder import load_model
from biaffinity.model.network import TorchNetwork
from biaffinity.scoring import ScoreSheet, score
from biaffinity.training.provenance import provenance

#: Least weights that are tried on dev, for entities and for relations.
WEIGHTS = (0.3, 0.4, 0.5, 0.6)


def votes(folders: Sequence[Path], sentences: Sequence[Sentence]) -> list[tuple[Sentence, ...]]:
    """Each sentence as every model annotates it."""
    return list(
        zip(*(predict(TorchNetwork(load_model(folder)), sentences) for folder in folders), strict=True)
    )


def agreed(readings: Sequence[Sentence], entities: float, relations: float) -> Sentence:
    """What weighs at least so much, as the mean of its scores over all models."""
    found = vote_on_entities(readings, entities)
    return readings[0].annotated(found, vote_on_relations(readings, found, relations))


def main() -> None:
    """Read the arguments, choose on dev, score test once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    gold = {part: list(formats.read(arguments.data / f"{part}.jsonl")) for part in ("dev", "test")}
    seen = {part: votes(arguments.models, sentences) for part, sentences in gold.items()}
    given = load_model(arguments.models[0]).config.model.boundaries == "given"

    def sheet(part: str, entities: float, relations: float) -> ScoreSheet:
        return score(gold[part], [agreed(each, entities, relations) for each in seen[part]])

    tried = {
        weights: sheet("dev", *weights).headline(boundaries_given=given)
        for weights in itertools.product(WEIGHTS, WEIGHTS)
    }
    chosen = max(tried, key=lambda weights: tried[weights])
    result: dict[str, Any] = {
        "models": [folder.name for folder in arguments.models],
        "least_weights": dict(zip(("entities", "relations"), chosen, strict=True)),
        "dev_of_each_choice": {f"{e} {r}": round(value, 4) for (e, r), value in tried.items()},
        "scores": {part: sheet(part, *chosen).to_dict() for part in gold},
        **provenance(),
    }
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    with writing(arguments.out) as file:
        json.dump(result, file, indent=1)
    for part, scores in result["scores"].items():
        print(part, {name: round(100 * cell["f1"], 1) for name, cell in scores["paper"].items()})


if __name__ == "__main__":
    main()
