"""What is asked of a sink: to tell what is there, to take documents, and to say how far it has come.

What was appended counts once `Sink.commit` has been told of the position in the input that it goes up to. A
sink keeps both together, in one transaction where it has such, so that whatever moment a kill hits, the next
run goes on just behind what is there: every document once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from biaffinity import formats
from biaffinity.annotation import Document

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a run has come: documents of the input dealt with, what they were, how many were left out."""

    position: int = 0
    digest: str = ""
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """A document that was left out: its number from 0, and why."""

    document: int
    problem: str


class Sink(ABC, Generic[Record]):
    """Where documents go; open it and use it as a context.

    >>> from biaffinity.bulk.sinks import sink_named
    >>> sink_named(None, "facts.jsonl").title
    'facts.jsonl'
    """

    #: What it is called among the settings of a run.
    name: str
    #: How people are told of it.
    title: str
    #: Where people find what was left out.
    failed_at: str
    #: What a document becomes, made where it was annotated: a function that can be sent to a process.
    render: Callable[[Document], Record]
    #: What had to change to be written so.
    report: formats.Report
    #: How far it has come.
    mark: Mark
    #: Whether an earlier run has come to its end, so that there is nothing to write but what had failed.
    complete: bool
    #: What had to be put right when it was opened.
    notes: Sequence[str]

    @abstractmethod
    def open(
        self, settings: Mapping[str, Any], source: Mapping[str, Any], *, resume: bool, force: bool = False
    ) -> Sink[Record]:
        """See what is there and make ready for more.

        ``settings`` is all that decides what becomes of a document, ``source`` where documents come from; a
        run is gone on with (``resume``) only under the same. With ``force`` an earlier run is forgotten.
        """

    @abstractmethod
    def append(self, record: Record) -> None:
        """Add a document; it counts once `commit` or `finish` has said so."""

    @abstractmethod
    def fail(self, document: int, problem: str) -> None:
        """Note a document that has no record, by its number."""

    @abstractmethod
    def commit(self, mark: Mark) -> None:
        """Keep all that was added, and that the input was read up to ``mark``."""

    @abstractmethod
    def finish(self, mark: Mark) -> None:
        """All is written: keep it, and that it is all."""

    @abstractmethod
    def failures(self) -> Sequence[Failure]:
        """What a complete run has left out, in order."""

    def go_to(self, failure: Failure) -> None:
        """What is added next is what had failed, or fails again: it belongs there."""

    @abstractmethod
    def close(self) -> None:
        """Leave it; what was not committed is as if it had never been added."""

    def __enter__(self) -> Sink[Record]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
