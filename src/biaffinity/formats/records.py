"""JSON records, one after the other: the objects of JSON lines, of an array, or set out over several lines.

No file is ever held whole: an array of any length is decoded object by object.
"""

from __future__ import annotations

import codecs
import contextlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from biaffinity.annotation.sentence import Json
from biaffinity.errors import DataError
from biaffinity.files import existing_file, json_fault, read_lines, refused, writing
from biaffinity.formats.piecewise import Piecewise
from biaffinity.formats.report import Report

T = TypeVar("T")
CHUNK = 1 << 16
WHITE = " \t\r\n"
# A decoder that meets the end of its text too early complains at most this far before it.
LONGEST_LITERAL = len("-Infinity")
ONE_PER_LINE = "one whole JSON object per line is needed; was the file cut short?"
ONE_ARRAY = "a whole array of JSON objects is needed; was the file cut short?"
WHOLE_OBJECTS = "whole JSON objects are needed; was the file cut short?"


def json_records(path: Path) -> Iterator[tuple[str, Json]]:
    """The objects of a file with the place of each: ``file:line``, in an array also its index.

    A file whose first character is ``[`` is one array; one whose first line is ``{`` alone holds objects
    over several lines, as programs write them for people; any other is JSON lines, blank ones skipped.
    After a line that is not an object the lines that follow can still be read; in the other two, broken
    JSON is the end.
    """
    if is_array(path):
        return _array_records(path)
    if _is_set_out(path):
        return _set_out_records(path)
    return Piecewise(read_lines(path), partial(_line_record, path))


def each_record(path: Path, read: Callable[[Json, str, int], Iterable[T]]) -> Iterator[T]:
    """What ``read`` makes of each object, its place and its number in the file, from 1.

    After an error the objects that follow can still be read.
    """

    def read_numbered(numbered: tuple[int, tuple[str, Json]]) -> Iterable[T]:
        number, (where, record) = numbered
        return read(record, where, number)

    return Piecewise(enumerate(json_records(path), start=1), read_numbered)


def is_array(path: Path) -> bool:
    """Whether the file's first character, white space aside, opens a JSON array."""
    for chunk in _chunks(path):
        text = chunk.lstrip(WHITE)
        if text:
            return text[0] == "["
    return False


@contextlib.contextmanager
def writing_array(path: Path) -> Iterator[Callable[[Json], None]]:
    """A function that adds one object to a JSON array; the file appears when the block ends well."""
    with writing(path) as file:
        separator = "[\n"

        def add(record: Json) -> None:
            nonlocal separator
            file.write(separator + json.dumps(record, ensure_ascii=False))
            separator = ",\n"

        yield add
        file.write("[]\n" if separator == "[\n" else "\n]\n")


def note_fields(record: Mapping[str, Any], known: frozenset[str], where: str, report: Report) -> None:
    """Report every field of a record that its reader has no place for, unless it is empty."""
    for field in sorted(record.keys() - known):
        if record[field] not in (None, "", [], {}):
            report.note(f"field {field!r} not carried over", where)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON value")


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def _line_record(path: Path, numbered: tuple[int, str]) -> Iterator[tuple[str, Json]]:
    """The object of a line with its place; a blank line has none."""
    number, line = numbered
    text = line.strip(WHITE)
    if not text:
        return
    where = f"{path}:{number}"
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        what = f"broken JSON: {error.msg.removesuffix(' at')} at character {error.pos + 1}"
        raise DataError(what, where=where, remedy=ONE_PER_LINE) from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"broken JSON: {json_fault(error)}", where=where, remedy=ONE_PER_LINE) from None
    if not isinstance(value, dict):
        raise DataError(f"{text[:20]!r} is not a JSON object", where=where, remedy=ONE_PER_LINE)
    _require_unicode(value, text, where)
    yield where, value


def _is_set_out(path: Path) -> bool:
    """Whether the first line that is not blank opens an object and holds nothing of it."""
    lines = (line.strip(WHITE) for _, line in read_lines(path))
    return next(filter(None, lines), "") == "{"


def _set_out_records(path: Path) -> Iterator[tuple[str, Json]]:
    text = _JsonText(path, in_array=False)
    while text.peek():
        where = text.where
        yield where, text.take_object()


def _array_records(path: Path) -> Iterator[tuple[str, Json]]:
    text = _JsonText(path, in_array=True)
    text.take("[")
    closed = text.peek() == "]" and text.take("]") == "]"
    while not closed:
        text.peek()
        where = text.where
        yield where, text.take_object()
        closed = text.take(",]") == "]"
    if text.peek():
        text.fail("there is something after the end of the array")


class _JsonText:
    """The part of a file that is being decoded, and how far the decoding has come."""

    def __init__(self, path: Path, *, in_array: bool) -> None:
        self.path = path
        self.index = 0
        self._in_array = in_array
        self._chunks = _chunks(path)
        self._buffer = ""
        self._position = 0
        self._line = 1
        self._counted = 0

    @property
    def where(self) -> str:
        """The place that decoding has reached."""
        self._line += self._buffer.count("\n", self._counted, self._position)
        self._counted = self._position
        line = f"{self.path}:{self._line}"
        return f"{line}: [{self.index}]" if self._in_array else line

    def fail(self, what: str) -> NoReturn:
        """An error at this place."""
        raise DataError(what, where=self.where, remedy=ONE_ARRAY if self._in_array else WHOLE_OBJECTS)

    def peek(self) -> str:
        """The next character that is not white space; nothing at the end of the file."""
        while True:
            while self._position < len(self._buffer):
                if self._buffer[self._position] not in WHITE:
                    return self._buffer[self._position]
                self._position += 1
            if not self._read_more(1):
                return ""

    def take(self, expected: str) -> str:
        """The next character, which must be one of those expected."""
        found = self.peek()
        if not found or found not in expected:
            self.fail(f"{' or '.join(expected)} is missing, there is {found or 'the end of the file'}")
        self._position += 1
        return found

    def take_object(self) -> Json:
        """The next object."""
        found = self.peek()
        if found != "{":
            self.fail(f"a JSON object is missing, there is {found or 'the end of the file'}")
        chunks = 1
        while True:
            try:
                value, end = _DECODER.raw_decode(self._buffer, self._position)
                break
            except json.JSONDecodeError as error:
                # An object longer than the buffer: twice as much each time, so its cost stays linear.
                passed = error.pos - self._position
                if not (self._is_cut(error) and self._read_more(chunks)):
                    self._position += passed
                    self.fail(f"broken JSON: {error.msg.removesuffix(' at')}")
                chunks *= 2
            except (ValueError, RecursionError) as error:
                self.fail(f"broken JSON: {json_fault(error)}")
        _require_unicode(value, self._buffer[self._position : end], self.where)
        self._position = end
        self.index += 1
        return value  # type: ignore[no-any-return]

    def _is_cut(self, error: json.JSONDecodeError) -> bool:
        """Whether an error may come from the end of the buffer and not from the text itself."""
        return error.msg.startswith("Unterminated string") or error.pos >= len(self._buffer) - LONGEST_LITERAL

    def _read_more(self, chunks: int) -> bool:
        """Let go of what is decoded and take further chunks; False at the end of the file."""
        self._line += self._buffer.count("\n", self._counted, self._position)
        more = list(islice(self._chunks, chunks))
        self._buffer = "".join([self._buffer[self._position :], *more])
        self._position = self._counted = 0
        return bool(more)


def _chunks(path: Path) -> Iterator[str]:
    """The text of a file in pieces, none of them empty."""
    existing_file(path)
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        with path.open("rb") as file:
            while raw := file.read(CHUNK):
                if text := decoder.decode(raw):
                    yield text
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        # Met again by line, which gives the error its place.
        for _ in read_lines(path):
            pass
        raise
    except OSError as error:
        raise refused("read", path, error) from error


def _require_unicode(value: Json, text: str, where: str) -> None:
    r"""Refuse half of a surrogate pair: an escape (``\ud83d``) can bring it in, no file can hold it."""
    if "\\ud" not in text and "\\uD" not in text:
        return
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        what = f"the escape \\u{ord(error.object[error.start]):04x} is half a character"
        raise DataError(what, where=where, remedy="escape characters in pairs or write UTF-8") from None
