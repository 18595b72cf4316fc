"""Training: from sentences and a recipe to a model folder; the loop is a generator of events."""

from biaffinity.training.events import (
    Advised,
    EpochEnded,
    Event,
    Finished,
    Finishing,
    Progress,
    Started,
    StoppedEarly,
)
from biaffinity.training.from_files import train
from biaffinity.training.tensorboard import TensorBoardLog
from biaffinity.training.trainer import DivergedError, Trainer, TrainingData

__all__ = [
    "Advised",
    "DivergedError",
    "EpochEnded",
    "Event",
    "Finished",
    "Finishing",
    "Progress",
    "Started",
    "StoppedEarly",
    "TensorBoardLog",
    "Trainer",
    "TrainingData",
    "train",
]
