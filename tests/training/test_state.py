"""Damage to the files of a training run, and two runs at once."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from biaffinity.errors import BiaffinityWarning, DataError, UsageError
from biaffinity.locks import sole_writer
from biaffinity.training import EpochEnded, Event, Finished, session
from training import tiny
from training.killed import FULL

pytestmark = pytest.mark.usefixtures("quick_calibration")

Train = Callable[..., Finished]


class StoppedError(Exception):
    """As by a kill."""


@pytest.fixture(scope="module")
def half(train: Train, tmp_path_factory: pytest.TempPathFactory, whole: Path) -> Path:
    """A run that was stopped after two epochs of three."""
    folder = tmp_path_factory.mktemp("half") / "m"

    def stop(event: Event) -> None:
        if isinstance(event, EpochEnded) and event.epoch == 2:
            raise StoppedError

    with pytest.raises(StoppedError):
        train(folder, FULL, graphs=False, watch=stop)
    return folder


@pytest.fixture
def victim(half: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(half, tmp_path / "m"))


def flip(path: Path, share: float) -> None:
    """Change one bit at some share of a file."""
    raw = bytearray(path.read_bytes())
    raw[int(share * (len(raw) - 1))] ^= 1
    path.write_bytes(raw)


def ends_the_same(folder: Path, whole: Path) -> bool:
    assert tiny.history(folder) == tiny.history(whole)
    return tiny.same_tensors(tiny.weights(folder), tiny.weights(whole))


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_from_a_damaged_checkpoint_a_run_goes_back_to_the_one_before(
    train: Train, whole: Path, victim: Path, share: float
) -> None:
    flip(victim / "checkpoint.safetensors", share)
    with pytest.warns(BiaffinityWarning, match="going on from the checkpoint before"):
        train(victim, FULL, resume=True, graphs=False)
    assert ends_the_same(victim, whole)


def test_two_damaged_checkpoints_are_an_error_that_names_them(train: Train, victim: Path) -> None:
    for name in ("checkpoint.safetensors", "checkpoint.previous.safetensors"):
        flip(victim / name, 0.95)
    with pytest.raises(DataError, match=r"checkpoint.*damaged.*delete checkpoint.safetensors and "):
        train(victim, FULL, resume=True, graphs=False)


def test_a_checkpoint_that_is_missing_is_that_before_it(train: Train, whole: Path, victim: Path) -> None:
    (victim / "checkpoint.safetensors").unlink()
    train(victim, FULL, resume=True, graphs=False)
    assert ends_the_same(victim, whole)


@pytest.mark.parametrize(
    "spoil", [lambda path: flip(path, 0.5), Path.unlink, lambda path: path.write_text("")]
)
def test_a_damaged_history_is_had_from_the_checkpoint(
    train: Train, whole: Path, victim: Path, spoil: Callable[[Path], Any]
) -> None:
    spoil(victim / "history.jsonl")
    train(victim, FULL, resume=True, graphs=False)
    assert ends_the_same(victim, whole)


def test_damaged_weights_are_not_taken_for_those_of_the_best_epoch(train: Train, victim: Path) -> None:
    flip(victim / "model.safetensors", 0.95)
    with pytest.raises(DataError, match=r"model\.safetensors: is damaged"):
        train(victim, FULL, resume=True, graphs=False)


@pytest.mark.parametrize("name", ["run.json", "history.jsonl"])
def test_damage_to_a_finished_run_is_found(train: Train, whole: Path, tmp_path: Path, name: str) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "m"))
    raw = (folder / name).read_text()
    number = next(i for i in range(len(raw) - 2, 0, -1) if raw[i].isdigit() and raw[i + 1].isdigit())
    (folder / name).write_text(raw[:number] + str((int(raw[number]) + 1) % 10) + raw[number + 1 :])
    with pytest.raises(DataError, match=f"{name}: is damaged"):
        train(folder, FULL, resume=True, graphs=False)


def test_a_second_writer_is_told_so(train: Train, victim: Path) -> None:
    with (
        sole_writer(victim, victim / session.LOCK),
        pytest.raises(UsageError, match="another process is writing it"),
    ):
        train(victim, FULL, resume=True, graphs=False)
