"""A training run as a person watches it: a bar on a terminal, a line per epoch elsewhere."""

from __future__ import annotations

import time
from datetime import timedelta

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from biaffinity.cli.console import counted
from biaffinity.cli.display import Display
from biaffinity.training import Advised, EpochEnded, Event, Finishing, Started, StoppedEarly
from biaffinity.training import Progress as Update


class TrainingDisplay(Display):
    """Shows events; use it as a context and call it with each."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self.task: TaskID | None = None
        self.epochs = 0
        self._done_before = 0
        self._sentences = 0
        self._since = 0.0

    def __call__(self, event: Event) -> None:
        """Show one event."""
        if isinstance(event, Advised):
            self._say(f"note: {event.line}", style="yellow")
        elif isinstance(event, Started):
            self._start(event)
        elif isinstance(event, Update):
            self._update(event)
        elif isinstance(event, EpochEnded):
            self._end_epoch(event)
        elif isinstance(event, StoppedEarly):
            self._say(f"stopping after epoch {event.epoch}: none after {event.best_epoch} was better")
        elif isinstance(event, Finishing) and self.task is not None:
            if self.console.is_terminal:
                self.bar.update(self.task, description=f"{event.step} ...", rate="")
            else:
                self._say(f"{event.step} ...")

    def _start(self, event: Started) -> None:
        self.epochs, self._done_before = event.epochs, event.epoch
        self._say(
            f"{counted(event.sentences, 'sentence')}, {event.parameters:,} parameters, {event.epochs} epochs"
        )
        if event.coverage is not None:
            self._say(f"word vectors know {event.coverage}")
        for line in event.changes:
            self._say(f"in reading: {line}", style="yellow")
        for kind, count in event.left_out.items():
            self._say(f"left out of training: {count} {kind}", style="yellow")
        if event.epoch == event.epochs:
            self._say("the run is complete: nothing is left to train")
        elif event.epoch:
            self._say(f"going on after epoch {event.epoch}")
        total = event.epochs * event.steps_per_epoch
        done = event.epoch * event.steps_per_epoch
        self.task = self.bar.add_task("training", total=total, completed=done, rate="")
        self._since = time.perf_counter()

    def _update(self, event: Update) -> None:
        self._sentences += event.sentences
        if self.task is None:
            return
        rate = self._sentences / max(1e-9, time.perf_counter() - self._since)
        description = f"epoch {event.epoch}/{self.epochs}, loss {event.loss:.2f}"
        self.bar.update(self.task, advance=1, description=description, rate=f"{rate:.0f} sentences/s")

    def _end_epoch(self, event: EpochEnded) -> None:
        self._say(
            f"epoch {event.epoch:3d}  loss {event.tagger_loss:.2f} + {event.relation_loss:.2f}"
            f"  dev {event.metric}: entities {100 * event.entities:.1f}"
            f"  relations {100 * event.relations:.1f}"
            f"  mean {100 * event.selection:.1f}  {event.train_seconds:.1f} s"
            + ("" if self.console.is_terminal else self._pace(event.epoch))
            + ("  best so far" if event.best else "")
        )

    def _pace(self, epoch: int) -> str:
        """Rate and time left, for a line: where there is a bar, it shows them."""
        elapsed = time.perf_counter() - self._since
        left = elapsed / (epoch - self._done_before) * (self.epochs - epoch)
        return f"  {self._sentences / elapsed:.0f} sentences/s  {timedelta(seconds=round(left))} left"

    def _say(self, line: str, style: str | None = None) -> None:
        self.console.print(line, style=style, markup=False, emoji=False, highlight=False, soft_wrap=True)
