"""One thread, as the program runs, and the tiny corpus on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import biaffinity
from biaffinity.config.settings import Config
from biaffinity.files import writing
from biaffinity.training import Finished, session
from training import tiny
from training.killed import FULL, fit_quickly


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Sums come out the same to the last bit whatever machine the tests run on."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The files train, dev and test."""
    return tiny.write_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def train(corpus: dict[str, Path]) -> Iterator[Callable[..., Finished]]:
    """`biaffinity.train` on the tiny corpus; curves are drawn elsewhere (`test_curves`).

    Graphs are made where a test asks for them, since that takes seconds.
    """

    def leave_undrawn(history: list[dict[str, Any]], path: Path) -> None:
        with writing(path) as file:
            file.write(f"{len(history)} epochs")

    def run(out: Path, recipe: Config | Path | None = None, **options: Any) -> Finished:
        usual: dict[str, Any] = {"train": corpus["train"], "dev": corpus["dev"], "graphs": False}
        return biaffinity.train(recipe or tiny.config(), out=out, **{**usual, **options})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "draw_curves", leave_undrawn)
        yield run


@pytest.fixture(scope="module")
def quick_calibration() -> Iterator[None]:
    """For where it is not the subject how a calibration is fitted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "fit_calibration", fit_quickly)
        yield


@pytest.fixture(scope="module")
def whole(
    train: Callable[..., Finished], quick_calibration: None, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The folder of a run of three epochs with every kind of state, never stopped."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("whole") / "m"
    train(folder, FULL)
    return folder
