"""What was measured beside the bar that it has to meet: lines for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Measured:
    """A number, and the bar that it meets or misses; a number without a bar stands by itself."""

    what: str
    value: float
    unit: str
    side: Literal["at least", "at most", "under"] = "at least"
    bar: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the bar is met; None where there is none."""
        if self.bar is None:
            return None
        if self.side == "at least":
            return self.value >= self.bar
        return self.value <= self.bar if self.side == "at most" else self.value < self.bar

    def line(self) -> str:
        """The number, its bar and whether it is met."""
        start = f"{self.what:58} {_number(self.value):>8} {self.unit:10}"
        if self.bar is None:
            return start.rstrip()
        return f"{start} bar: {self.side} {_number(self.bar)}, {'met' if self.met else 'MISSED'}"


def show(measured: Iterable[Measured]) -> None:
    """Print a line for each."""
    for one in measured:
        print(one.line())


def write(path: Path, measured: Sequence[Measured], details: dict[str, Any]) -> None:
    """A JSON file of the bars and of all else that was measured, with where they come from."""
    from biaffinity.files import writing
    from biaffinity.training.provenance import provenance

    bars = [{**asdict(one), "met": one.met} for one in measured]
    path.parent.mkdir(parents=True, exist_ok=True)
    with writing(path) as file:
        file.write(json.dumps({**provenance(), "bars": bars, "details": details}, indent=2) + "\n")


def _number(value: float) -> str:
    digits = 0 if value >= 100 or value == int(value) else 1 if value >= 10 else 2
    return f"{value:,.{digits}f}"
