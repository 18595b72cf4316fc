"""What to know before a run starts: the quick part of `biaffinity check`, and what else costs score."""

from __future__ import annotations

from collections.abc import Iterator

from biaffinity.config.settings import Config
from biaffinity.corpus import check
from biaffinity.training.trainer import TrainingData

REPEATED = "repeated-across-splits"
#: The findings of `biaffinity check` that a run should not start without.
TOLD = ("no-relations", REPEATED, "unseen-entity-type", "unseen-relation-type")
#: Sentences under which a part of the data is called small.
FEW = {"train": 150, "dev": 30}


def advice(config: Config, data: TrainingData) -> Iterator[str]:
    """A line for each thing that will make the model worse than it could be, or only look good."""
    parts = {"train": data.train, "dev": data.dev} | ({"test": data.test} if data.test is not None else {})
    report = check(parts)
    repeated = {name: len(repeats.across) for name, repeats in report.repeats.splits.items()}
    same = {name for name, count in repeated.items() if count == len(parts[name])}
    for name in sorted(same):
        yield f"every sentence of {name} stands in the training data too: its scores say nothing of new text"
    for problem in report.problems:
        if problem.code in TOLD and not (problem.code == REPEATED and problem.splits.keys() <= same):
            yield str(problem)
    if len(data.train) < FEW["train"]:
        yield f"{len(data.train)} sentences are few to learn from: annotate more, and try the recipe small"
    if len(data.dev) < FEW["dev"]:
        yield f"dev has {len(data.dev)} sentences: its scores, which choose the epoch, are rough"
    if config.encoder.type == "recurrent" and data.vectors is None and data.start is None:
        yield "no word vectors are given: with some (--vectors) a model knows words that training never met"
