"""Runs in processes of their own: as good as alone, and none takes another with it."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing import Pipe
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")

import torch

import biaffinity
from biaffinity.decoding.prediction import predict
from biaffinity.experiments import runner, work
from biaffinity.experiments.plan import EXTRA_SCORES, LOG, Corpus, Experiment, Run
from biaffinity.experiments.variants import FULL, VARIANTS
from biaffinity.experiments.work import Advanced, Begun, Done, Failed, Outcome
from biaffinity.formats import read, write
from biaffinity.model.folder import load_model
from biaffinity.model.network import TorchNetwork
from biaffinity.runtime.network import OnnxNetwork
from biaffinity.scoring import score
from model.tiny import assert_alike
from training import tiny

GIVEN = Run(VARIANTS["softmax"], 2, 1)
DAMAGED = Run(FULL, 1, 1)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def experiment_in(folder: Path) -> Experiment:
    return Experiment(str(folder / "tiny.toml"), Corpus.read(folder), folder / "out")


def alone(experiment: Experiment, run: Run, out: Path) -> None:
    """The same run by `biaffinity.train`."""
    files = {part: str(path) for part, path in experiment.corpus.files.items()}
    overrides = experiment.overrides_of(run)
    options = {"out": out, "seed": run.seed, "overrides": overrides, "graphs": False}
    biaffinity.train(experiment.recipe, **files, **options)  # type: ignore[arg-type]


def perform(folder: Path) -> None:
    """Two runs side by side, the first of which has a checkpoint that cannot be read.

    A tiny recipe on the tiny corpus, whose test repeats one sentence of train.
    """
    folder.mkdir()
    tiny.write_corpus(folder)
    new = [replace(s, tokens=("Today", *s.tokens[1:-1], "indeed")) for s in tiny.sentences(3, first=50)]
    write(folder / "test.jsonl", [replace(tiny.sentences(1)[0], id="again"), *new])
    tiny.write_recipe(folder / "tiny.toml", training={"epochs": 2})
    experiment = experiment_in(folder)
    alone(experiment, DAMAGED, experiment.folder(DAMAGED))
    path = experiment.folder(DAMAGED) / "run.json"
    record = json.loads(path.read_text())
    del record["scores"], record["sha256"]
    path.write_text(json.dumps(record))
    (path.parent / "checkpoint.safetensors").write_bytes(b"not tensors")
    outcomes = list(runner.perform(experiment, [DAMAGED, GIVEN], jobs=2))
    (folder / "outcomes.pickle").write_bytes(pickle.dumps(outcomes))


@pytest.fixture(scope="module")
def performed(made_once: Callable[..., Path]) -> Path:
    """The folder of `perform`, made by one worker for all; runs of other names may be added to it."""
    return made_once("experiment", perform)


@pytest.fixture(scope="module")
def experiment(performed: Path) -> Experiment:
    return experiment_in(performed)


@pytest.fixture(scope="module")
def outcomes(performed: Path) -> list[Outcome]:
    """What its runs told."""
    told: list[Outcome] = pickle.loads((performed / "outcomes.pickle").read_bytes())
    return told


def test_a_run_beside_others_ends_as_it_would_alone(
    outcomes: list[Outcome], experiment: Experiment, tmp_path: Path
) -> None:
    alone(experiment, GIVEN, tmp_path / "m")
    both = experiment.folder(GIVEN), tmp_path / "m"
    weights, histories = [tiny.weights(folder) for folder in both], [tiny.history(folder) for folder in both]
    assert tiny.same_tensors(*weights)
    assert histories[0] == histories[1]
    scores = [json.loads((folder / "run.json").read_text())["scores"] for folder in both]
    assert scores[0] == scores[1]
    configs = [json.loads((folder / "config.json").read_text())["config"] for folder in both]
    assert configs[0] == configs[1]


def test_every_run_is_begun_advances_and_ends(outcomes: list[Outcome]) -> None:
    told = [outcome for outcome in outcomes if outcome.run == GIVEN]
    assert isinstance(told[0], Begun)
    assert [(o.epoch, o.epochs) for o in told if isinstance(o, Advanced)] == [(0, 2), (1, 2), (2, 2)]
    assert isinstance(told[-1], Done)


def test_a_run_that_fails_is_told_with_its_log_and_the_rest_go_on(
    outcomes: list[Outcome], experiment: Experiment
) -> None:
    failed = [outcome for outcome in outcomes if isinstance(outcome, Failed)]
    assert [outcome.run for outcome in failed] == [DAMAGED]
    assert "checkpoint.safetensors: is damaged" in failed[0].problem
    assert "is damaged" in failed[0].log.read_text()
    assert {o.run for o in outcomes if isinstance(o, Done)} == {GIVEN}


def test_a_run_that_went_well_leaves_no_log(outcomes: list[Outcome], experiment: Experiment) -> None:
    assert not (experiment.folder(GIVEN) / LOG).exists()


def test_scores_are_the_record_s(outcomes: list[Outcome], experiment: Experiment) -> None:
    done = next(outcome for outcome in outcomes if isinstance(outcome, Done))
    scores = json.loads((experiment.folder(GIVEN) / "run.json").read_text())["scores"]
    assert done.dev == (scores["dev"]["paper"]["ec"]["f1"], scores["dev"]["paper"]["rc"]["f1"])
    assert done.test == (scores["test"]["paper"]["ec"]["f1"], scores["test"]["paper"]["rc"]["f1"])


def test_a_model_that_is_kept_extracts_at_once(outcomes: list[Outcome], experiment: Experiment) -> None:
    folder = experiment.folder(GIVEN)
    assert [*folder.glob("*.onnx")]
    gold = list(read(experiment.corpus.files["test"]))
    found, expected = (
        predict(network, gold) for network in (OnnxNetwork.load(folder), TorchNetwork(load_model(folder)))
    )
    for one, other in zip(found, expected, strict=True):
        assert_alike(one, other)


def test_test_is_also_scored_without_the_repeated_sentences(
    outcomes: list[Outcome], experiment: Experiment
) -> None:
    folder = experiment.folder(GIVEN)
    extra = json.loads((folder / EXTRA_SCORES).read_text())["scores"]["test_without_repeats"]
    gold = [sentence for sentence in read(experiment.corpus.files["test"]) if sentence.id != "again"]
    assert extra == score(gold, predict(TorchNetwork(load_model(folder)), gold)).to_dict()
    assert extra["sentences"] == 3


def test_a_process_that_is_killed_is_one_failed_run(experiment: Experiment) -> None:
    run = Run(VARIANTS["pipeline"], 1, 1)
    told: list[Outcome] = []
    for outcome in runner.perform(experiment, [run], jobs=1):
        told.append(outcome)
        if isinstance(outcome, Begun):
            (process,) = multiprocessing.active_children()
            os.kill(process.pid, 9)  # type: ignore[arg-type]
    assert isinstance(told[-1], Failed)
    assert "its process was killed by signal 9" in told[-1].problem


def test_models_go_where_only_records_are_to_be_kept(experiment: Experiment, tmp_path: Path) -> None:
    ours, theirs = Pipe(duplex=False)
    experiment = replace(experiment, out=tmp_path, keep_models=False)
    work._perform(theirs, experiment, GIVEN)
    left = {path.name for path in experiment.folder(GIVEN).iterdir()}
    assert left == {"run.json", "history.jsonl", EXTRA_SCORES}
    assert experiment.is_done(GIVEN)
    ours.close()
