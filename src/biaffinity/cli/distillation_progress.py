"""A distillation as a person watches it: text, teachers and vote, then the training as ever."""

from __future__ import annotations

import time
from datetime import timedelta

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from biaffinity.cli.console import counted, tell, warn
from biaffinity.cli.display import Display
from biaffinity.cli.progress import TrainingDisplay
from biaffinity.distillation import (
    Event,
    Labelled,
    Mixed,
    Noted,
    Skipped,
    TeacherStarted,
    TextRead,
    Voted,
    Voting,
)

_SECONDS_PER_LINE = 30.0


class DistillationDisplay(Display):
    """Shows events; use it as a context and call it with each."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=12),
            TaskProgressColumn(),
            TextColumn("{task.fields[rate]}"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self.task = self.bar.add_task("reading text", total=None, rate="")
        self._training: TrainingDisplay | None = None
        self._left = self._read = self._tokens = 0
        self._since = self._line = time.perf_counter()

    def __exit__(self, *ending: object) -> None:
        if self._training is not None:
            self._training.__exit__(*ending)
        super().__exit__(*ending)

    def __call__(self, event: Event) -> None:
        """Show one event."""
        if isinstance(event, Skipped):
            warn(f"left out: {event.problem}")
        elif isinstance(event, Noted):
            tell(f"note: {event.note}")
        elif isinstance(event, TextRead):
            self._read_text(event)
        elif isinstance(event, TeacherStarted):
            self._start_teacher(event)
        elif isinstance(event, Labelled):
            self._advance(event)
        elif isinstance(event, Voting):
            self.bar.update(
                self.task, description="voting", total=event.total, completed=event.sentences, rate=""
            )
        elif isinstance(event, Voted):
            tell(
                f"labelled: {event.entities:,} entities and {event.relations:,} relations in "
                f"{counted(event.sentences, 'sentence')}"
            )
        elif isinstance(event, Mixed):
            self._mix(event)
        else:
            self._train()(event)

    def _read_text(self, event: TextRead) -> None:
        self.bar.update(
            self.task, total=event.size, completed=event.read, rate=counted(event.sentences, "sentence")
        )

    def _start_teacher(self, event: TeacherStarted) -> None:
        earlier = f", going on after {event.earlier:,}" if event.earlier else ""
        tell(
            f"teacher {event.number} of {event.teachers}, {event.name}: "
            f"{counted(event.sentences, 'sentence')}{earlier}"
        )
        self._left, self._read, self._tokens = event.sentences - event.earlier, 0, 0
        self._since = self._line = time.perf_counter()
        description = f"teacher {event.number}/{event.teachers}"
        self.bar.reset(
            self.task,
            total=event.sentences,
            completed=event.earlier,
            description=description,
            rate="",
        )

    def _advance(self, event: Labelled) -> None:
        self._read += event.sentences
        self._tokens += event.tokens
        now = time.perf_counter()
        elapsed = max(1e-9, now - self._since)
        left = timedelta(seconds=round(elapsed / max(1, self._read) * (self._left - self._read)))
        rate = f"{self._read / elapsed:,.0f} sentences/s, {self._tokens / elapsed:,.0f} tokens/s, {left} left"
        self.bar.update(self.task, advance=event.sentences, rate=rate)
        if self.bar.disable and now - self._line >= _SECONDS_PER_LINE:
            self._line = now
            tell(f"{counted(self._read, 'sentence')} read, {rate}")

    def _mix(self, event: Mixed) -> None:
        times = "" if event.times == 1 else f", {event.times} times over"
        left_out = (
            f" ({event.left_out:,} left out that stand in train, dev or test)" if event.left_out else ""
        )
        tell(
            f"the student learns from {counted(event.gold, 'gold sentence')}{times}, and from "
            f"{event.labelled:,} labelled ones{left_out}"
        )

    def _train(self) -> TrainingDisplay:
        """The display of the training, which takes over from this one's bar."""
        if self._training is None:
            self.bar.stop()
            self._training = TrainingDisplay(self.console)
            self._training.__enter__()
        return self._training
