"""Distillations with usual settings, and what they leave in a folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biaffinity.distillation import Event
from biaffinity.training import Finished


class Killed(BaseException):
    """The process is gone."""


@dataclass(frozen=True)
class Run:
    """A function with settings that a call may change."""

    distil: Callable[..., Finished]
    usual: dict[str, Any]

    def __call__(self, out: Path, **options: Any) -> Finished:
        return self.distil(**{**self.usual, "out": out, **options})

    def events(self, out: Path, **options: Any) -> list[Event]:
        """What a run told."""
        seen: list[Event] = []
        self(out, watch=seen.append, **options)
        return seen

    def killed_at(self, out: Path, kind: type, count: int, **options: Any) -> None:
        """A run that dies at the ``count``-th event of a kind."""
        seen = iter(range(count))

        def watch(event: Event) -> None:
            if isinstance(event, kind) and next(seen, None) is None:
                raise Killed

        try:
            self(out, watch=watch, **options)
        except Killed:
            return
        raise AssertionError(f"there were no more than {count} events {kind.__name__}")


def files(folder: Path) -> dict[str, bytes]:
    """The files of a folder of labels but its record, which has the time in it."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "labels.json"
    }


def record(labels: Path) -> dict[str, Any]:
    """What a folder of labels says of itself."""
    found: dict[str, Any] = json.loads((labels / "labels.json").read_text())
    return found


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())
