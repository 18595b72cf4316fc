"""A run on disk: what its folder holds, and what it refuses to write over."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from biaffinity.errors import DataError, UsageError
from biaffinity.formats import read, write
from biaffinity.model.folder import load_model, load_tensors
from biaffinity.model.prediction import predict
from biaffinity.scoring import score
from biaffinity.training import (
    DivergedError,
    EpochEnded,
    Event,
    Finished,
    Progress,
    Started,
    session,
)
from training import tiny

Train = Callable[..., Finished]


# What a run leaves


def test_a_finished_folder_is_a_model_with_its_history_and_record(train: Train, tmp_path: Path) -> None:
    train(tmp_path / "m")
    assert sorted(path.name for path in (tmp_path / "m").iterdir()) == [
        "README.md",
        "config.json",
        "curves.png",
        "history.jsonl",
        "model.safetensors",
        "run.json",
        "vocabulary.json",
    ]


def test_the_model_in_the_folder_has_the_scores_that_were_told(
    train: Train, tmp_path: Path, corpus: dict[str, Path]
) -> None:
    finished = train(tmp_path / "m", tiny.config(training={"epochs": 8}), test=corpus["test"])
    model = load_model(tmp_path / "m")
    for name, sheet in (("dev", finished.dev), ("test", finished.test)):
        gold = list(read(corpus[name]))
        assert sheet is not None
        assert score(gold, predict(model, gold)).to_dict() == sheet.to_dict()
    best = max(tiny.history(tmp_path / "m"), key=lambda line: line["selection"])
    assert finished.best_epoch == best["epoch"]
    assert finished.dev.headline() == best["selection"]
    assert not finished.interrupted


def test_the_record_names_data_seed_config_and_scores(
    train: Train, tmp_path: Path, corpus: dict[str, Path]
) -> None:
    finished = train(tmp_path / "m", seed=3, test=corpus["test"])
    record = json.loads((tmp_path / "m" / "run.json").read_text())
    assert record["seed"] == 3
    assert record["data"]["train"]["file"] == "train.jsonl"
    assert record["data"]["train"]["sentences"] == 18
    assert record["config"] == tiny.config().model_dump()
    assert record["best_epoch"] == finished.best_epoch
    assert record["epochs_done"] == 4
    assert record["scores"]["dev"] == finished.dev.to_dict()
    assert record["scores"].keys() == {"dev", "test"}
    assert record["machine"]["processor"] in (tmp_path / "m" / "README.md").read_text()


def test_the_watcher_is_told_everything_and_the_end_last(train: Train, tmp_path: Path) -> None:
    told: list[Event] = []
    finished = train(tmp_path / "m", watch=told.append)
    assert isinstance(told[0], Started)
    assert told[-1] is finished
    ended = [event.to_dict() for event in told if isinstance(event, EpochEnded)]
    lines = (tmp_path / "m" / "history.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == ended


def test_an_epoch_is_on_disk_before_it_is_told(train: Train, tmp_path: Path) -> None:
    out, seen = tmp_path / "m", []

    def watch(event: Event) -> None:
        if isinstance(event, EpochEnded):
            lines = (out / "history.jsonl").read_text().splitlines()
            state = json.loads(load_tensors(out / "checkpoint.safetensors")[1]["state"])
            seen.append((len(lines), state["epoch"], state["best_epoch"]))
            kept = int(load_tensors(out / "model.safetensors")[1]["epoch"])
            assert kept == state["best_epoch"]

    train(out, watch=watch)
    assert [(lines, epoch) for lines, epoch, _ in seen] == [(1, 1), (2, 2), (3, 3), (4, 4)]


def test_the_same_seed_gives_the_same_model_and_history(train: Train, tmp_path: Path) -> None:
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        train(tmp_path / name, seed=seed)
    first, again, other = (tiny.weights(tmp_path / name) for name in "abc")
    assert tiny.same_tensors(first, again)
    assert not tiny.same_tensors(first, other)
    assert tiny.history(tmp_path / "a") == tiny.history(tmp_path / "b")


def test_a_recipe_file_with_overrides_is_the_config_it_spells(train: Train, tmp_path: Path) -> None:
    recipe = tiny.write_recipe(tmp_path / "r.toml", training={"epochs": 9})
    train(tmp_path / "a", recipe, overrides=["training.epochs=2"])
    train(tmp_path / "b", tiny.config(training={"epochs": 2}))
    assert tiny.same_tensors(tiny.weights(tmp_path / "a"), tiny.weights(tmp_path / "b"))


def test_overrides_of_a_config_are_refused_not_ignored(train: Train, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="overrides"):
        train(tmp_path / "m", overrides=["training.epochs=2"])


def test_data_without_sentences_is_an_error_with_its_file(train: Train, tmp_path: Path) -> None:
    write(tmp_path / "none.jsonl", [])
    with pytest.raises(DataError, match=r"none\.jsonl: holds no sentence"):
        train(tmp_path / "m", dev=tmp_path / "none.jsonl")
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("device", ["cuda:77", "gpu", ""])
def test_a_device_that_is_not_there_is_named_before_any_work(
    train: Train, tmp_path: Path, device: str
) -> None:
    with pytest.raises(UsageError, match=f"no device '{device}'.*cpu"):
        train(tmp_path / "m", device=device)
    assert not (tmp_path / "m").exists()


# Refusals


def test_a_folder_with_a_run_is_not_overwritten(train: Train, tmp_path: Path) -> None:
    train(tmp_path / "m")
    before = tiny.contents(tmp_path / "m")
    with pytest.raises(UsageError, match=r"already holds a training run.*--resume"):
        train(tmp_path / "m")
    assert tiny.contents(tmp_path / "m") == before


def test_a_folder_with_a_model_of_other_origin_is_not_overwritten(train: Train, tmp_path: Path) -> None:
    train(tmp_path / "m")
    (tmp_path / "m" / "run.json").unlink()
    for resume in (False, True):
        with pytest.raises(UsageError, match="already holds a model"):
            train(tmp_path / "m", resume=resume)


def test_a_file_where_the_folder_should_be_is_an_error(train: Train, tmp_path: Path) -> None:
    (tmp_path / "m").write_text("")
    with pytest.raises(UsageError, match="is a file"):
        train(tmp_path / "m")


# A loss that is no number


def test_the_best_model_is_kept_when_the_loss_is_no_number(
    train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "m"
    kept: dict[str, bytes] = {}

    def spoil_the_weights(event: Event) -> None:
        if isinstance(event, EpochEnded) and event.epoch == 2:
            kept.update(tiny.contents(folder))
        if isinstance(event, Progress) and (event.epoch, event.step) == (3, 1):
            running[0].model.tagger.output.weight.data.fill_(float("nan"))

    running: list[Any] = []
    initialise = session.Trainer.__init__

    def remember(trainer: Any, *arguments: Any, **options: Any) -> None:
        initialise(trainer, *arguments, **options)
        running.append(trainer)

    monkeypatch.setattr(session.Trainer, "__init__", remember)
    with pytest.raises(DivergedError, match=r"epoch 3, update 2, .*weights are not finite: tagger"):
        train(folder, watch=spoil_the_weights)
    assert tiny.contents(folder) == kept
    load_model(folder)
