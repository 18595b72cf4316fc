"""All runs that the reproduction of the paper is made of, what of them stands, and how long the rest takes.

OUT/NAME/ or OUT/NAME.jsonl   the runs of a series, in folders or gathered
"""

from __future__ import annotations

import math
import shlex
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import torch

from biaffinity import formats
from biaffinity.config.settings import Config
from biaffinity.encoders.recurrent.settings import RecurrentSettings
from biaffinity.encoders.recurrent.vectors import load_vectors_for
from biaffinity.experiments.cells import number_ranges
from biaffinity.experiments.paper_scores import SEEDS
from biaffinity.experiments.plan import Corpus, Experiment, Run, runs_of
from biaffinity.experiments.runs import read_runs
from biaffinity.experiments.variants import variants_named
from biaffinity.training import Progress, Trainer, TrainingData

#: Sentences that the speed is measured over; a fifth of them before, to warm up.
MEASURED = 100


@dataclass(frozen=True, slots=True)
class PaperSeries:
    """Runs of one recipe, over both setups and ten seeds: what they are for, and what is laid over it."""

    name: str
    answers: str
    recipe: str
    variants: str = "all"
    overrides: tuple[str, ...] = ()

    @property
    def runs(self) -> list[Run]:
        """Every run of it."""
        return runs_of(variants_named(self.variants), (1, 2), range(1, SEEDS + 1))

    def command(self, experiment: Experiment, data: Path, workers: int, left: Sequence[Run]) -> str:
        """What makes the runs that are left, or goes on with them."""
        words = ["biaffinity", "reproduce", "--recipe", self.recipe, "--variants", self.variants]
        words += ["--setups", number_ranges({run.setup for run in left}).replace(" ", "")]
        words += ["--seeds", _seeds({run.seed for run in left})]
        for override in self.overrides:
            words += ["--set", override]
        words += ["--data", str(data)]
        if experiment.vectors is not None:
            words += ["--vectors", str(experiment.vectors)]
        if experiment.device != "cpu":
            words += ["--device", experiment.device]
        return shlex.join([*words, "--workers", str(workers), "--out", str(experiment.out)])


#: docs/paper.md has a section for each.
SERIES = (
    PaperSeries("paper", "Table 1, to the letter: one sentence per update, 100 epochs", "paper", "full"),
    PaperSeries("paper-batched", "Table 2, in batches", "paper-batched"),
    PaperSeries(
        "paper-batched-train-words",
        "Table 2, the words of train alone",
        "paper-batched",
        overrides=("encoder.vocabulary=train",),
    ),
    PaperSeries(
        "paper-batched-predicted-labels",
        "predicted labels in training",
        "paper-batched",
        "full",
        ("training.relation_labels=predicted",),
    ),
)


@dataclass(frozen=True, slots=True)
class State:
    """How far a series has come: all its runs, and those that are left."""

    series: PaperSeries
    total: int
    left: int
    #: Seconds for the rest, with so many runs side by side, and what to run; nothing where nothing is left.
    seconds: float = 0.0
    command: str = ""


def paper_states(
    corpus: Corpus, data: Path, out: Path, vectors: Path | None, device: str, workers: int
) -> Iterator[State]:
    """The series one by one; the speed of this machine is measured where something is left to do."""
    paces: dict[str, float] = {}
    for series in SERIES:
        experiment = Experiment(series.recipe, corpus, out / series.name, vectors, device, series.overrides)
        done = finished(experiment, series.runs)
        left = [run for run in series.runs if run not in done]
        if not left:
            yield State(series, len(series.runs), 0)
            continue
        if series.recipe not in paces:
            paces[series.recipe] = run_seconds(experiment.config(left[0]), corpus, vectors, device)
        seconds = math.ceil(len(left) / workers) * paces[series.recipe]
        command = series.command(experiment, data, workers, left)
        yield State(series, len(series.runs), len(left), seconds, command)


def finished(experiment: Experiment, runs: Sequence[Run]) -> set[Run]:
    """The runs that stand in the folder of an experiment, or in the file of gathered ones beside it."""
    gathered = experiment.out.with_name(f"{experiment.out.name}.jsonl")
    kept, _ = read_runs(gathered) if gathered.exists() else ([], [])
    records = {(run.variant, run.setup, run.seed): run for run in kept}
    done = {run for run in runs if experiment.is_done(run)}
    for run in runs:
        if record := records.get((run.variant, run.setup, run.seed)):
            experiment.check_same(run, record.record, record.where)
            done.add(run)
    return done


def run_seconds(config: Config, corpus: Corpus, vectors: Path | None, device: str) -> float:
    """About how long a run takes here: some updates and one look at dev, times its epochs.

    One thread, and as busy as the machine is now.
    """
    torch.set_num_threads(1)
    train, dev = (list(formats.read(corpus.files[part])) for part in ("train", "dev"))
    loaded = None
    if vectors is not None and isinstance(config.encoder, RecurrentSettings):
        loaded = load_vectors_for(config.encoder, vectors, [*train, *dev])
    trainer = Trainer(config, TrainingData(train, dev, None, loaded), seed=1, device=device)
    _read(trainer, MEASURED // 5)
    started = time.perf_counter()
    sentences = _read(trainer, MEASURED)
    trained = time.perf_counter()
    trainer.evaluate(dev)
    per_epoch = (trained - started) / sentences * trainer.epoch_size + time.perf_counter() - trained
    return per_epoch * config.training.epochs


def _read(trainer: Trainer, sentences: int) -> int:
    """Train on about so many sentences; how many it were."""
    updates = max(1, sentences // trainer.config.training.batch_size)
    told = (event for event in trainer.events() if isinstance(event, Progress))
    return sum(event.sentences for event in islice(told, updates))


def _seeds(numbers: set[int]) -> str:
    """As --seeds wants them, where a number alone is how many.

    >>> _seeds({10}), _seeds({1, 2, 3, 7})
    ('10-10', '1-3,7')
    """
    return f"{min(numbers)}-{min(numbers)}" if len(numbers) == 1 else number_ranges(numbers).replace(" ", "")
