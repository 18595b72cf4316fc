from __future__ import annotations

import sys
from pathlib import Path

import pytest

from biaffinity.errors import MissingExtraError
from biaffinity.scoring import score
from biaffinity.training import EpochEnded, Finished, Progress, TensorBoardLog

EPOCHS = [
    EpochEnded(1, 12.0, 3.0, "strict micro F1", 0.25, 0.75, 0.5, True, 0.02, 1.0, 0.1),
    EpochEnded(2, 6.0, 1.5, "strict micro F1", 0.5, 1.0, 0.75, True, 0.01, 1.0, 0.1),
]


def test_every_epoch_can_be_read_back(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="needs the extra tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    log = TensorBoardLog(tmp_path / "log")
    for event in (Progress(1, 1, 4, 9.0), *EPOCHS):
        log(event)
    log(Finished(tmp_path, 2, score([], []), None, 2.2, interrupted=False))
    read = EventAccumulator(str(tmp_path / "log"))
    read.Reload()
    values = {
        tag: [(point.step, point.value) for point in read.Scalars(tag)] for tag in read.Tags()["scalars"]
    }
    assert values == {
        "loss/tagger": [(1, 12.0), (2, 6.0)],
        "loss/relations": [(1, 3.0), (2, 1.5)],
        "dev/entities": [(1, 0.25), (2, 0.5)],
        "dev/relations": [(1, 0.75), (2, 1.0)],
        "dev/selection": [(1, 0.5), (2, 0.75)],
        "learning_rate": [(1, pytest.approx(0.02)), (2, pytest.approx(0.01))],
    }


def test_without_the_extra_its_name_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    monkeypatch.delitem(sys.modules, "torch.utils.tensorboard", raising=False)
    with pytest.raises(MissingExtraError, match=r"biaffinity\[tensorboard\]"):
        TensorBoardLog(tmp_path / "log")
