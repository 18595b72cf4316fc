"""Two tiny teachers, a text for them, and gold data of the same types."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra train")

import torch

from biaffinity.annotation import Sentence
from biaffinity.distillation import distil, labelling
from biaffinity.files import writing
from biaffinity.model.folder import save_model
from biaffinity.training import session
from distillation.runs import Run
from model.tiny import fit, tiny_model
from training import tiny


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Sums come out the same to the last bit whatever machine the tests run on."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def second(news: list[Sentence], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another teacher of the same types, less sure of them, and without graphs."""
    path = tmp_path_factory.mktemp("second") / "second"
    model = tiny_model(news, seed=5)
    fit(model, news, 40)
    save_model(model, path)
    return path


@pytest.fixture(scope="session")
def text(news: list[Sentence], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of texts: what the teachers know by heart, in pairs and turned about."""
    path = tmp_path_factory.mktemp("text")
    lines = [" ".join(sentence.tokens) for sentence in news]
    (path / "a.txt").write_text("Once more: " + "\nOnce more: ".join(lines), encoding="utf-8")
    (path / "b.txt").write_text("\n".join(f"Today, {line}" for line in reversed(lines)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def run(folder: Path, second: Path, text: Path, samples: Path) -> Iterator[Run]:
    """`distil` with both teachers, parts of three sentences, and a student that takes no time."""

    def leave_undrawn(history: list[dict[str, Any]], path: Path) -> None:
        with writing(path) as file:
            file.write(f"{len(history)} epochs")

    gold = samples / "news.jsonl"
    usual = {"teachers": [folder, second], "text": text, "train": gold, "dev": gold, "gold_times": 2}
    usual |= {"recipe": tiny.config(training={"epochs": 2}), "graphs": False, "device": "cpu"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "draw_curves", leave_undrawn)
        patch.setattr(labelling, "PART", 3)
        yield Run(distil, usual)
