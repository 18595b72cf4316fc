"""What a file held that could not be carried over as it stood: counted, with examples, never silent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class Finding:
    """How often one kind of change was made, and the first places where."""

    count: int = 0
    examples: list[str] = field(default_factory=list)


class Report:
    """Collects what a reader changed or left out and a writer could not express.

    >>> report = Report(examples=1)
    >>> report.note("entity widened to whole tokens", "a.ann:3")
    >>> report.note("entity widened to whole tokens", "a.ann:9")
    >>> print(report)
    2 x entity widened to whole tokens (e.g. a.ann:3)
    """

    def __init__(self, examples: int = 3) -> None:
        self.examples = examples
        self.findings: dict[str, Finding] = {}

    def note(self, kind: str, where: str) -> None:
        """Record one event of a kind at a place (file, line, sentence id)."""
        finding = self.findings.setdefault(kind, Finding())
        finding.count += 1
        if where not in finding.examples and len(finding.examples) < self.examples:
            finding.examples.append(where)

    def __bool__(self) -> bool:
        return bool(self.findings)

    def lines(self) -> Iterator[str]:
        """One readable line per kind."""
        for kind, finding in self.findings.items():
            yield f"{finding.count} x {kind} (e.g. {'; '.join(finding.examples)})"

    def __str__(self) -> str:
        return "\n".join(self.lines())
