"""One thing that is wrong or odd about a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from biaffinity.formats.report import Finding

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Problem:
    """So many of what ``message`` says stand in these splits, with examples; ``advice`` says what follows.

    With an error the data cannot be trained on; a warning may cost score or honesty; a note is
    good to know. The ``code`` of a finding never changes, so that programs can look for it.
    """

    severity: Severity
    code: str
    message: str
    splits: Mapping[str, Finding]
    advice: str = ""

    @property
    def count(self) -> int:
        """How many there are in all splits together."""
        return sum(finding.count for finding in self.splits.values())

    def __str__(self) -> str:
        """One line.

        >>> print(Problem("note", "shared-id", "ids that train has too", {"dev": Finding(2, ["a", "b"])}))
        ids that train has too: 2 in dev (e.g. a)
        """
        where = ", ".join(f"{finding.count:,} in {name}" for name, finding in self.splits.items())
        examples = "; ".join(f.examples[0] for f in self.splits.values() if f.examples)
        said = f"{self.message}: {where}" if self.count else f"no {self.message}"
        advice = f"; {self.advice}" if self.advice else ""
        return said + advice + (f" (e.g. {examples})" if examples else "")

    def to_dict(self) -> dict[str, Any]:
        """A JSON object."""
        return {
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "advice": self.advice,
            "count": self.count,
            "splits": {
                name: {"count": finding.count, "examples": finding.examples}
                for name, finding in self.splits.items()
            },
        }
