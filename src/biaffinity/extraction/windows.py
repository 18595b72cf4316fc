"""The documents of a stream, taken in as many at a time as make good batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from biaffinity.annotation import Document
from biaffinity.errors import UsageError
from biaffinity.extraction.pieces import in_pieces
from biaffinity.text import read_document

T = TypeVar("T")


def windows(items: Iterable[tuple[Document, T]], tokens: int) -> Iterator[list[tuple[Document, T]]]:
    """Documents yet to be annotated with what came with them, some ``tokens`` at a time."""
    window: list[tuple[Document, T]] = []
    size = 0
    for whole, item in items:
        document = in_pieces(whole)
        window.append((document, item))
        size += 1 + sum(len(sentence) for sentence in document.sentences)
        if size >= tokens:
            yield window
            window, size = [], 0
    if window:
        yield window


def read_texts(items: Iterable[Any]) -> Iterator[tuple[Document, Any]]:
    """The documents of a stream's items, yet to be annotated, each with its item."""
    for number, item in enumerate(items):
        text, name = _text_and_id(item, number)
        yield read_document(text, id=name), item


def _text_and_id(item: object, number: int) -> tuple[str, str]:
    """The text of a stream's item, and the id that its document gets."""
    text, id_ = item if isinstance(item, tuple | list) and len(item) == 2 else (item, "")
    if not isinstance(text, str):
        raise UsageError(
            f"must be a string or a pair (string, id), not {type(item).__name__}", where=f"texts[{number}]"
        )
    return text, str(id_) if isinstance(id_, str | int) else ""
