"""The documents of a stream, taken in as many at a time as make good batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from biaffinity.annotation import Document
from biaffinity.extraction.given import Entities
from biaffinity.extraction.thresholds import Thresholds

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Work(Generic[T]):
    """A document yet to be annotated: what becomes of its entities, what is kept, and what came with it."""

    document: Document
    entities: Entities
    thresholds: Thresholds
    item: T


def windows(items: Iterable[Work[T]], tokens: int, documents: int | None = None) -> Iterator[list[Work[T]]]:
    """So many ``tokens`` or ``documents`` at a time; an empty document counts as one token."""
    window: list[Work[T]] = []
    size = 0
    for work in items:
        window.append(work)
        size += 1 + sum(len(sentence) for sentence in work.document.sentences)
        if size >= tokens or len(window) == documents:
            yield window
            window, size = [], 0
    if window:
        yield window
