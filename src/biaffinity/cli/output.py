"""Where annotated sentences go: a file whose name tells its format, or stdout."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.errors import UsageError
from biaffinity.formats import jsonl

STDOUT = Path("-")


def target_format(target: Path, format: str | None) -> str:
    """The format to write: the one given, or the one that the name tells; stdout takes our JSON lines."""
    if target != STDOUT:
        return formats.format_for(target, format)
    if format not in (None, jsonl.NAME):
        raise UsageError(f"only {jsonl.NAME} goes to stdout", remedy="name a file to write")
    return jsonl.NAME


def write_sentences(
    target: Path,
    sentences: Iterable[Sentence],
    format: str,
    report: formats.Report,
    *,
    by: formats.Machine | None = None,
) -> None:
    """Write sentences in a format that `target_format` has given."""
    if target != STDOUT:
        formats.write(target, sentences, format, report, by=by)
        return
    for sentence in sentences:
        sys.stdout.buffer.write(jsonl.as_line(sentence).encode())
    sys.stdout.flush()
