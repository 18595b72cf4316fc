"""What happens in a training run, for whoever watches: progress bar, history, checkpoints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biaffinity.encoders.recurrent.vectors import Coverage
from biaffinity.scoring import ScoreSheet


@dataclass(frozen=True, slots=True)
class Started:
    """The model stands and training begins (or goes on after ``epoch`` epochs)."""

    epoch: int
    epochs: int
    parameters: int
    sentences: int
    steps_per_epoch: int
    coverage: Coverage | None
    #: What the tagger and the classifier cannot represent of the training data, counted by kind.
    left_out: dict[str, int]
    #: What the readers of the data changed or left out, a line per kind.
    changes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Advised:
    """Something about the data or the config that is better known before the run starts."""

    line: str


@dataclass(frozen=True, slots=True)
class Progress:
    """One update done."""

    epoch: int
    step: int
    sentences: int
    loss: float


@dataclass(frozen=True, slots=True)
class EpochEnded:
    """An epoch's mean losses per sentence, its dev scores, and whether it is the best so far."""

    epoch: int
    tagger_loss: float
    relation_loss: float
    #: What the dev scores count, and they: of entities, of relations, and the mean that selects.
    metric: str
    entities: float
    relations: float
    selection: float
    best: bool
    learning_rate: float
    train_seconds: float
    dev_seconds: float

    def to_dict(self) -> dict[str, Any]:
        """A line of the history."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class StoppedEarly:
    """``training.patience`` epochs have passed since the best one."""

    epoch: int
    best_epoch: int


@dataclass(frozen=True, slots=True)
class Finishing:
    """The epochs are done; this is being done to the model now."""

    step: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The run is over; the best epoch's model is in ``folder``."""

    folder: Path
    best_epoch: int
    dev: ScoreSheet
    test: ScoreSheet | None
    seconds: float
    interrupted: bool
    #: Why the model has no graphs, if it has none: then it needs PyTorch, or an export elsewhere.
    not_exported: str | None = None


Event = Advised | Started | Progress | EpochEnded | StoppedEarly | Finishing | Finished
