"""Processor time of this process and all that it has started, which a busy machine changes little (Linux)."""

from __future__ import annotations

import os
import threading
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_LOOK = 0.5  # seconds between two looks: what a process does after the last look at it is not counted


class ProcessorTime:
    """The seconds that were taken during a block; use it as a context.

    Processes are looked at while they live: not every parent is told what its children took.
    """

    def __enter__(self) -> ProcessorTime:
        self._before = _taken()
        self._last = dict(self._before)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()
        self._last |= _taken()

    @property
    def seconds(self) -> float:
        """Of all processes up to the last look."""
        return sum(self._last.values()) - sum(self._before.values())

    def _look(self) -> None:
        while not self._end.wait(_LOOK):
            self._last |= _taken()


def _taken() -> dict[int, float]:
    """Seconds of this process and its descendants, by their numbers."""
    parents, seconds = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has just ended
                continue
            parents[int(folder.name)] = int(fields[1])
            seconds[int(folder.name)] = (int(fields[11]) + int(fields[12])) / _TICK
    ours = {os.getpid()}
    while more := {number for number, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return {number: seconds[number] for number in ours}
