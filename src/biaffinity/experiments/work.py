"""One run in a process of its own: train, score once more without the repeated sentences, tidy up."""

from __future__ import annotations

import json
import multiprocessing
import os
import threading
import traceback
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path

import torch

from biaffinity import formats
from biaffinity.config.folder import WEIGHTS
from biaffinity.decoding.prediction import predict
from biaffinity.errors import BiaffinityError
from biaffinity.experiments.plan import EXTRA_SCORES, LOG, Experiment, Run
from biaffinity.files import writing
from biaffinity.model.folder import load_model
from biaffinity.model.network import TorchNetwork
from biaffinity.scoring import ScoreSheet, score
from biaffinity.training import EpochEnded, Event, Finished, Started, train

#: What a run leaves that only serves to use its model.
MODEL_FILES = (WEIGHTS, "vocabulary.json", "config.json", "README.md", "curves.png")

Pair = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Begun:
    """The process of a run has been started."""

    run: Run


@dataclass(frozen=True, slots=True)
class Advanced:
    """A run has done ``epoch`` of its epochs; the first time, those of earlier calls."""

    run: Run
    epoch: int
    epochs: int


@dataclass(frozen=True, slots=True)
class Done:
    """A run has come to its end: F1 of entities and of relations, on dev and on test."""

    run: Run
    dev: Pair
    test: Pair | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Failed:
    """A run has not come to its end; ``log`` has more."""

    run: Run
    problem: str
    log: Path


Outcome = Begun | Advanced | Done | Failed


def work(connection: Connection, experiment: Experiment, run: Run) -> None:
    """A process's life: do the run, telling how far it has come; end when the parent does."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    torch.set_num_threads(1)  # runs side by side do best with one each
    log = experiment.folder(run) / LOG
    outcome: Outcome
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        outcome = _perform(connection, experiment, run)
    except BiaffinityError as error:
        print(f"error: {error}", flush=True)
        outcome = Failed(run, str(error), log)
    except Exception as error:
        traceback.print_exc()
        outcome = Failed(run, traceback.format_exception_only(error)[-1].strip(), log)
    else:
        if not log.stat().st_size:
            log.unlink()
    with suppress(BrokenPipeError):
        connection.send(outcome)


def _perform(connection: Connection, experiment: Experiment, run: Run) -> Done:
    epochs = 0

    def watch(event: Event) -> None:
        nonlocal epochs
        if isinstance(event, Started):
            epochs = event.epochs
        if isinstance(event, Started | EpochEnded):
            connection.send(Advanced(run, event.epoch, epochs))

    folder, files = experiment.folder(run), experiment.corpus.files
    finished = train(
        experiment.recipe,
        train=files["train"],
        dev=files["dev"],
        test=files.get("test"),
        vectors=experiment.vectors,
        out=folder,
        seed=run.seed,
        device=experiment.device,
        overrides=experiment.overrides_of(run),
        resume=True,
        graphs=experiment.keep_models,
        watch=watch,
    )
    if experiment.corpus.repeated:
        _score_without_repeats(experiment, finished)
    if not experiment.keep_models:
        for name in MODEL_FILES:
            (folder / name).unlink(missing_ok=True)
    test = None if finished.test is None else _headline(finished.test, run)
    return Done(run, _headline(finished.dev, run), test, finished.seconds)


def _score_without_repeats(experiment: Experiment, finished: Finished) -> None:
    """The score sheet of test without the sentences that train or dev have too, in a file of its own."""
    gold = list(formats.read(experiment.corpus.files["test"]))
    network = TorchNetwork(load_model(finished.folder, experiment.device))
    predicted = predict(network, gold, scores=False)
    sheet = score(gold, predicted, exclude=experiment.corpus.repeated)
    with writing(finished.folder / EXTRA_SCORES) as file:
        json.dump({"scores": {"test_without_repeats": sheet.to_dict()}}, file, indent=2, ensure_ascii=False)
        file.write("\n")


def _headline(sheet: ScoreSheet, run: Run) -> Pair:
    return sheet["paper", "ner" if run.setup == 1 else "ec"].f1, sheet["paper", "rc"].f1


def _end_with_parent() -> None:
    """End this process, wherever it is, when its parent is gone: what is on disk can always go on."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
