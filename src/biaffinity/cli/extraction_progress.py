"""An extraction as a person watches it: a bar on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import closing
from datetime import timedelta
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from biaffinity.bulk.run import Advanced, Event, Finished, Noted, Skipped, Started
from biaffinity.cli.console import counted, talk, tell, warn
from biaffinity.cli.display import Display

_SECONDS_PER_LINE = 30.0


class ExtractionDisplay(Display):
    """Shows events; use it as a context and call it with each."""

    def __init__(self, console: Console) -> None:
        self.bar = Progress(
            BarColumn(bar_width=12),  # so that the rest has room on 80 columns
            TaskProgressColumn(),
            TextColumn("{task.description}"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self.task = self.bar.add_task("", total=None)
        self.finished: Finished | None = None
        self._documents = self._tokens = 0
        self._size: int | None = None
        self._start: int | None = None  # bytes that were read before the clock began
        self._since = self._line = time.perf_counter()

    def __call__(self, event: Event) -> None:
        """Show one event."""
        if isinstance(event, Started):
            self._size = event.size
            self.bar.update(self.task, total=event.size)
            if event.earlier:
                tell(f"going on after {counted(event.earlier, 'document')}")
        elif isinstance(event, Advanced):
            self._advance(event)
        elif isinstance(event, Skipped):
            warn(f"left out: {event.problem}")
        elif isinstance(event, Noted):
            tell(f"note: {event.note}")
        else:
            self.finished = event

    def rates(self) -> str:
        """Documents and tokens per second."""
        documents, tokens = self._rates()
        return f"{counted(round(documents), 'document')}/s, {counted(round(tokens), 'token')}/s"

    def _rates(self) -> tuple[float, float]:
        elapsed = max(1e-9, time.perf_counter() - self._since)
        return self._documents / elapsed, self._tokens / elapsed

    def _advance(self, event: Advanced) -> None:
        self._documents += event.documents
        self._tokens += event.tokens
        documents, tokens = self._rates()
        told = f"{counted(self._documents, 'document')} ({documents:,.0f}/s), {tokens:,.0f} tokens/s"
        told += self._left(event.read)
        self.bar.update(self.task, completed=event.read, description=told)
        if self.bar.disable and time.perf_counter() - self._line >= _SECONDS_PER_LINE:
            self._line = time.perf_counter()
            tell(told)

    def _left(self, read: int) -> str:
        """The time left by the bytes yet to read, once some were read since the first event."""
        now = time.perf_counter()
        if self._start is None:
            self._start, self._clock = read, now
            return ""
        if self._size is None or read == self._start:
            return ""
        seconds = (now - self._clock) / (read - self._start) * max(0, self._size - read)
        return f", {timedelta(seconds=round(seconds))} left"


class Destination(Protocol):
    """Where documents go, as people are told of it."""

    title: str
    failed_at: str


def show_extraction(events: Generator[Event, None, None], to: Destination) -> Finished:
    """Show all that happens, and at the end what has become of it."""
    with closing(events), ExtractionDisplay(talk) as display:
        for event in events:
            display(event)
    finished = display.finished
    assert finished is not None  # it is the last event
    documents = counted(finished.documents, "document")
    left_out = f"{finished.skipped:,} left out: see {to.failed_at}; " if finished.skipped else ""
    if not finished.complete_before:
        tell(f"{documents} written to {to.title} ({left_out}{display.rates()})")
    elif finished.skipped:
        tell(f"{to.title} has {documents} ({left_out}--resume tries them again)")
    else:
        tell(f"{to.title} is complete: nothing is left to do")
    return finished
