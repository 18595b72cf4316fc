"""A stream of texts read by several processes, each with the model for itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from biaffinity.annotation import Document
from biaffinity.extraction.thresholds import Thresholds
from biaffinity.workers import Workers

if TYPE_CHECKING:
    from biaffinity.extraction.extractor import Extractor

#: A batch for one process: the number of its first text, and its texts, each with an id if it has one.
Batch = tuple[int, list[Any]]


def read_side_by_side(
    extractor: Extractor,
    pairs: Iterable[tuple[Any, Any]],
    thresholds: Thresholds,
    processes: int,
    batch_size: int,
) -> Iterator[tuple[Document, Any]]:
    """The documents of (text, context) in order; contexts stay here, for they may be anything."""
    contexts: deque[Any] = deque()

    def batches() -> Iterator[Batch]:
        waiting, first = iter(pairs), 0
        while batch := list(islice(waiting, batch_size)):
            contexts.extend(context for _, context in batch)
            yield first, [(text, c if isinstance(c, str | int) else None) for text, c in batch]
            first += len(batch)

    with Workers[Batch, list[Document]](processes, partial(_reader, extractor, thresholds)) as workers:
        for documents in workers.map(batches()):
            for document in documents:
                yield document, contexts.popleft()


def _reader(extractor: Extractor, thresholds: Thresholds) -> partial[list[Document]]:
    """What a process does with each batch."""
    return partial(_read, extractor, thresholds)


def _read(extractor: Extractor, thresholds: Thresholds, batch: Batch) -> list[Document]:
    first, pairs = batch
    return [document for document, _ in extractor._documents(pairs, thresholds, first=first)]
