"""A run's history for TensorBoard (extra ``tensorboard``)."""

from __future__ import annotations

from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from biaffinity.errors import MissingExtraError
from biaffinity.training.events import EpochEnded, Event, Finished

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter


class TensorBoardLog:
    """Writes each epoch's losses, dev scores and learning rate; call it with every event.

    Nothing is written before the first event, and a killed run loses no whole epoch.
    """

    def __init__(self, folder: Path) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ModuleNotFoundError as error:
            raise MissingExtraError("logging for TensorBoard", "tensorboard") from error
        self._open = partial(SummaryWriter, str(folder))

    @cached_property
    def writer(self) -> SummaryWriter:
        """Where the events go."""
        return self._open()

    def __call__(self, event: Event) -> None:
        """Log one event."""
        if isinstance(event, EpochEnded):
            values = {
                "loss/tagger": event.tagger_loss,
                "loss/relations": event.relation_loss,
                "dev/entities": event.entities,
                "dev/relations": event.relations,
                "dev/selection": event.selection,
                "learning_rate": event.learning_rate,
            }
            for name, value in values.items():
                self.writer.add_scalar(name, value, event.epoch)
            self.writer.flush()
        elif isinstance(event, Finished):
            self.writer.close()
