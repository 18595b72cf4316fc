"""JSON lines: all of a document in a line."""

from __future__ import annotations

from functools import partial

from biaffinity.annotation import Document
from biaffinity.bulk.sinks.format import Format


def json_line(document: Document, *, tokens: bool = False) -> str:
    """One line of JSON; with ``tokens``, the document can be had again from it."""
    return document.to_json(tokens=tokens) + "\n"


def json_lines(*, tokens: bool = False) -> Format:
    """A line per document."""
    return Format("jsonl", partial(json_line, tokens=tokens))
