"""What shows long work on a terminal: a bar that is drawn from entering to leaving."""

from __future__ import annotations

from typing import TypeVar

from rich.progress import Progress

D = TypeVar("D", bound="Display")


class Display:
    """The frame of every display; its ``bar`` is made by the kind of work."""

    bar: Progress

    def __enter__(self: D) -> D:
        self.bar.start()
        return self

    def __exit__(self, *ending: object) -> None:
        self.bar.stop()
