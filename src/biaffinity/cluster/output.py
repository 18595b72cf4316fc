"""What is asked of a place where parts are written: each is there whole or not at all, however often it is
written.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from biaffinity.annotation import Document
from biaffinity.bulk.sinks import Failure

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class PartResult:
    """What became of a part: documents written, and left out."""

    documents: int
    skipped: int


class PartsOutput(ABC, Generic[Record]):
    """Begun and finished by one process; what `writer` gives is sent to those that write."""

    #: How people are told of it.
    title: str
    #: Where people find what was left out.
    failed_at: str
    #: What a document becomes, made where it was annotated.
    render: Callable[[Document], Record]

    @abstractmethod
    def begin(
        self, settings: Mapping[str, Any], source: Mapping[str, Any], *, resume: bool, force: bool
    ) -> dict[int, PartResult]:
        """See what is there; the parts that an earlier run over the same has written."""

    @abstractmethod
    def writer(self) -> Callable[[int, Sequence[Record], Sequence[Failure]], PartResult]:
        """Writes a part by its number: its records, and what was left out of it. It can be sent."""

    @abstractmethod
    def finish(self, results: Mapping[int, PartResult]) -> None:
        """All parts are written."""

    @abstractmethod
    def close(self) -> None:
        """Leave it."""

    def __enter__(self) -> PartsOutput[Record]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
