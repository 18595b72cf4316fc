"""Where texts come from: arguments, plain text, lines, JSON lines, CSV, Parquet, folders, stdin.

Everything is read as it is needed, one document at a time. A document that cannot be read becomes a
`Fault` in its place, and the documents after it are read all the same.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from biaffinity.bulk.readers import STREAMS, Fault, Fields, Text, read_parquet, whole_characters
from biaffinity.errors import DataError, UsageError
from biaffinity.files import read_text, refused

STDIN = "-"
KINDS = (*STREAMS, "parquet")
SUFFIXES = {
    ".txt": "text",
    ".text": "text",
    ".md": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
}
_KNOWN_SUFFIXES = {*SUFFIXES, ".json"}
_SEPARATORS = tuple(filter(None, ("/", os.sep, os.altsep)))


class Inputs:
    """The documents of some inputs, in order; each pass over them reads anew.

    An input is ``-`` (stdin), a file, a folder (its .txt files, those in folders below included), or a
    text itself. What a file holds is told by its name, or by ``kind``, one of `KINDS`; a file of any
    other name is plain text. Plain text is one document per file. What looks like a path and leads nowhere
    is an error, unless ``literal``: then every input is a text, whatever it looks like.

    >>> [(text.id, text.text) for text in Inputs(["Anna left."])]
    [('1', 'Anna left.')]
    """

    def __init__(
        self,
        names: Sequence[str],
        *,
        kind: str | None = None,
        fields: Fields | None = None,
        literal: bool = False,
    ) -> None:
        if kind is not None and kind not in KINDS:
            raise UsageError(f"unknown kind of input {kind!r}", remedy=f"one of {', '.join(KINDS)}")
        if not literal and names.count(STDIN) > 1:
            raise UsageError("stdin can be read only once", remedy="give - once")
        self.names = list(names)
        self.kind = kind
        self.fields = fields or Fields()
        self.literal = literal
        self._paths = [None if literal or name == STDIN else _path(name) for name in names]
        for path in self._paths:
            if path is not None and not path.is_dir():
                self._kind_of(path)

    @property
    def single(self) -> bool:
        """Whether there can be but one document: one text, or one file of plain text."""
        if len(self.names) != 1:
            return False
        name, path = self.names[0], self._paths[0]
        if self._is_stdin(name):
            return self.kind in (None, "text")
        return path is None or (not path.is_dir() and self._kind_of(path) == "text")

    def size(self) -> int | None:
        """The bytes to read; None where stdin is among them."""
        if any(map(self._is_stdin, self.names)):
            return None
        return sum(
            len(name.encode(errors="replace")) if path is None else sum(map(_bytes_of, _files(path)))
            for name, path in zip(self.names, self._paths, strict=True)
        )

    def __iter__(self) -> Iterator[Text | Fault]:
        read = 0
        for number, (name, path) in enumerate(zip(self.names, self._paths, strict=True), start=1):
            if self._is_stdin(name):
                yield from self._stream(sys.stdin.buffer, "stdin", self.kind or "text", read)
            elif path is None:
                read += len(name.encode(errors="replace"))
                yield Text(whole_characters(name), str(number), f"text {number}", read)
            else:
                for file in _files(path):
                    yield from self._file(file, read)
                    read += _bytes_of(file)

    def _is_stdin(self, name: str) -> bool:
        return name == STDIN and not self.literal

    def _kind_of(self, path: Path) -> str:
        if self.kind is None and path.suffix.lower() == ".json":
            raise UsageError(
                "holds JSON, which is read only as JSON lines",
                where=str(path),
                remedy=f"try: jq -c '.[]' {path} > {path.with_suffix('.jsonl').name}",
            )
        return self.kind or SUFFIXES.get(path.suffix.lower(), "text")

    def _file(self, path: Path, before: int) -> Iterator[Text | Fault]:
        kind = self._kind_of(path)
        if kind == "text":
            try:
                text = read_text(path).removeprefix("\ufeff")
            except DataError as error:
                yield Fault(str(error), before + _bytes_of(path))
            else:
                yield Text(text, str(path), str(path), before + _bytes_of(path))
        elif kind == "parquet":
            for item in read_parquet(path, self.fields):
                yield replace(item, read=before + item.read)
        else:
            try:
                with path.open("rb") as file:
                    yield from self._stream(file, str(path), kind, before)
            except OSError as error:
                raise refused("read", path, error) from error

    def _stream(self, file: BinaryIO, name: str, kind: str, before: int) -> Iterator[Text | Fault]:
        if kind == "parquet":
            raise UsageError("Parquet cannot be read from stdin", remedy="name the file")
        for item in STREAMS[kind](file, name, self.fields):
            yield replace(item, read=before + item.read)


def _path(name: str) -> Path | None:
    """The file or folder that a name means; None if it is a text itself."""
    try:
        path = Path(name)
        if name and path.exists():
            return path
    except (OSError, ValueError):  # too long for a path, or a NUL in it
        return None
    if not _looks_like_a_path(name):
        return None
    raise DataError(
        "no such file or folder", where=name, remedy="check the path; if it is a text to be read, say --text"
    )


def _looks_like_a_path(name: str) -> bool:
    """Whether a name is one of a file: a known suffix, a folder before it, or a slash at its end.

    >>> [_looks_like_a_path(name) for name in ("notes/", "my notes.txt", "Ilka Roe lives in Ghent/Gent.")]
    [True, True, False]
    """
    if not name or "\n" in name:
        return False
    if Path(name).suffix.lower() in _KNOWN_SUFFIXES or name.endswith(_SEPARATORS):
        return True
    return not re.search(r"\s", name) and any(separator in name for separator in _SEPARATORS)


def _files(path: Path) -> Iterator[Path]:
    """The file itself, or the .txt files of a folder in the order of their names."""
    if not path.is_dir():
        yield path
        return

    def refuse(error: OSError) -> None:
        raise refused("read", Path(error.filename or path), error)

    found = False
    for folder, below, names in os.walk(path, onerror=refuse):
        below.sort()
        for name in sorted(names):
            if name.lower().endswith(".txt"):
                found = True
                yield Path(folder, name)
    if not found:
        raise DataError("holds no .txt file", where=str(path), remedy="name the files to read")


def _bytes_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as error:
        raise refused("read", path, error) from error
