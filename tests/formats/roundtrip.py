"""Sentences written in a format and read again, and text read as a format."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from unittest import mock

from biaffinity.annotation import Sentence
from biaffinity.formats import FORMATS, Report


def there_and_back(name: str, sentences: Iterable[Sentence]) -> tuple[list[Sentence], Report]:
    """What a format gives back of sentences, and what it reported when they were written."""
    written = Report()
    # Waiting for the disk would prove nothing here.
    with tempfile.TemporaryDirectory() as folder, mock.patch("os.fsync"):
        path = Path(folder) / "written"
        FORMATS[name].write(path, sentences, written)
        return list(FORMATS[name].read(path, Report())), written


def read_text(name: str, text: str, report: Report | None = None) -> list[Sentence]:
    """The sentences of a file called ``x`` that holds the text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        path.write_text(text, encoding="utf-8", newline="")
        return list(FORMATS[name].read(path, Report() if report is None else report))


def bare(sentence: Sentence) -> Sentence:
    """Tokens, entities and relations alone."""
    return Sentence(sentence.tokens, sentence.entities, sentence.relations)
