"""How each kind of input is read: plain text, lines, JSON lines, CSV, Parquet; one document at a time.

A document that cannot be read becomes a `Fault` in its place, and those after it are read all the same.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from biaffinity.annotation.sentence import read_name
from biaffinity.errors import BiaffinityError, DataError, MissingExtraError
from biaffinity.files import json_fault

_MARK = b"\xef\xbb\xbf"  # a byte order mark is not part of the text
# The longest field of CSV, in characters: an opened quote that is never closed ends here.
_LONGEST_FIELD = 1 << 26
_ROWS = 256  # of Parquet held at once


@dataclass(frozen=True, slots=True)
class Text:
    """A text to be read, its id, its place, and how many bytes of the input end with it."""

    text: str
    id: str
    where: str
    read: int


@dataclass(frozen=True, slots=True)
class Fault:
    """A document that is left out: what is wrong with it and where, and the bytes that end with it."""

    problem: str
    read: int


@dataclass(frozen=True, slots=True)
class Fields:
    """Where a record keeps its text and, if it has one, its id."""

    text: str = "text"
    id: str = "id"


def whole_characters(text: str) -> str:
    """The text with half characters (lone surrogates) replaced one by one, so that it can be written."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udfff]", "\ufffd", text)
    return text


def _decode(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise DataError(
            f"byte 0x{raw[error.start]:02x} is not UTF-8",
            remedy="convert the file first, e.g. iconv -f latin1 -t utf-8",
        ) from None


def _numbered_lines(file: BinaryIO, before: int) -> Iterator[tuple[int, bytes, int]]:
    """Each line with its number from 1, without a byte order mark, and the bytes that end with it."""
    read = 0
    for number, raw in enumerate(file, start=before + 1):
        read += len(raw)
        yield number, raw.removeprefix(_MARK) if number == 1 else raw, read


def _whole_text(file: BinaryIO, name: str, fields: Fields, before: int = 0) -> Iterator[Text | Fault]:
    raw = file.read()
    try:
        yield Text(_decode(raw.removeprefix(_MARK)), name, name, len(raw))
    except DataError as error:
        yield Fault(str(error.at(name)), len(raw))


def _text_lines(file: BinaryIO, name: str, fields: Fields, before: int = 0) -> Iterator[Text | Fault]:
    """One document per line; blank lines are none."""
    for number, raw, read in _numbered_lines(file, before):
        where = f"{name}:{number}"
        try:
            text = _decode(raw).removesuffix("\n").removesuffix("\r")
        except DataError as error:
            yield Fault(str(error.at(where)), read)
            continue
        if text.strip():
            yield Text(text, where, where, read)


def _json_lines(file: BinaryIO, name: str, fields: Fields, before: int = 0) -> Iterator[Text | Fault]:
    """One JSON object per line; blank lines are none."""
    for number, raw, read in _numbered_lines(file, before):
        if not raw.strip():
            continue
        where = f"{name}:{number}"
        try:
            yield _from_record(_json_object(raw), fields, where, read)
        except BiaffinityError as error:
            yield Fault(str(error.at(where)), read)


def _json_object(raw: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(_decode(raw))
    except (ValueError, RecursionError) as error:
        if isinstance(error, DataError):
            raise
        what = error.msg if isinstance(error, json.JSONDecodeError) else json_fault(error)
        raise DataError(f"broken JSON: {what}", remedy="one whole JSON object per line is needed") from None
    if not isinstance(value, dict):
        raise DataError("is not a JSON object", remedy="one JSON object per line is needed")
    return value


def _rows(
    delimiter: str, file: BinaryIO, name: str, fields: Fields, before: int = 0
) -> Iterator[Text | Fault]:
    """The rows of CSV under its header; blank rows are none."""
    read = 0

    def lines() -> Iterator[str]:
        nonlocal read
        for _, raw, read in _numbered_lines(file, 0):  # noqa: B007
            # Bytes that are not UTF-8 are found row by row below.
            yield raw.decode(errors="surrogateescape")

    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_FIELD))
    reader = csv.reader(lines(), delimiter=delimiter)
    columns: list[str] | None = None
    while True:
        where = f"{name}:{before + reader.line_num + 1}"
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Fault(f"{where}: {error}", read)
            continue
        if columns is None:
            columns = row
            require_column(columns, fields, name)
        elif row:
            yield _from_row(dict(zip(columns, row, strict=False)), fields, where, read)


def _from_row(row: Mapping[str, str], fields: Fields, where: str, read: int) -> Text | Fault:
    try:
        for value in row.values():
            _decode(value.encode(errors="surrogateescape"))
        return _from_record(row, fields, where, read)
    except BiaffinityError as error:
        return Fault(str(error.at(where)), read)


def read_parquet(path: Path, fields: Fields) -> Iterator[Text | Fault]:
    """The rows of a Parquet file; how far it is read is told by the share of its rows."""
    pyarrow, parquet = parquet_library("reading Parquet")
    try:
        with parquet.ParquetFile(path) as table:
            columns, rows = table.schema_arrow.names, table.metadata.num_rows
            require_column(columns, fields, str(path))
            wanted = [name for name in dict.fromkeys((fields.text, fields.id)) if name in columns]
            number, size = 0, path.stat().st_size
            for batch in table.iter_batches(batch_size=_ROWS, columns=wanted):
                numbers = range(number + 1, number + 1 + batch.num_rows)
                yield from read_batch(
                    batch, fields, [(f"{path}: row {each}", size * each // rows) for each in numbers]
                )
                number += batch.num_rows
    except (pyarrow.ArrowException, OSError) as error:
        raise DataError(
            f"cannot be read as Parquet: {str(error).splitlines()[0]}", where=str(path)
        ) from error


def read_batch(batch: Any, fields: Fields, places: Sequence[tuple[str, int]]) -> Iterator[Text | Fault]:
    """The rows of an Arrow batch, each with where it stands and the bytes that end with it."""
    names = batch.schema.names
    columns = [(name, batch.column(name)) for name in {fields.text: 0, fields.id: 0} if name in names]
    for index, (where, read) in enumerate(places):
        yield _from_cells({name: column[index] for name, column in columns}, fields, where, read)


def _from_cells(cells: Mapping[str, Any], fields: Fields, where: str, read: int) -> Text | Fault:
    try:
        record = {name: _cell(cell) for name, cell in cells.items()}
        return _from_record(record, fields, where, read)
    except BiaffinityError as error:
        return Fault(str(error.at(where)), read)


def _cell(cell: Any) -> Any:
    """The value of a cell of Arrow; a string is read only now, and may turn out to be none."""
    try:
        return cell.as_py()
    except UnicodeDecodeError as error:
        raise DataError(f"byte 0x{error.object[error.start]:02x} is not UTF-8") from None


def parquet_library(purpose: str) -> tuple[Any, Any]:
    """The modules ``pyarrow`` and ``pyarrow.parquet``, of the extra ``tables``."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise MissingExtraError(purpose, "tables") from error


def require_column(columns: Sequence[str], fields: Fields, where: str) -> None:
    """An error unless there is a column of texts."""
    if fields.text not in columns:
        raise DataError(
            f"has no column {fields.text!r}",
            where=where,
            remedy=f"name one with --text-field: {', '.join(columns):.200}",
        )


def _from_record(record: Mapping[str, Any], fields: Fields, where: str, read: int) -> Text:
    """The text of a record; one without an id is called by its place."""
    if fields.text not in record:
        raise DataError("is missing", where=fields.text, remedy="--text-field names the field of the text")
    text = record[fields.text]
    if not isinstance(text, str):
        kind = "null" if text is None else type(text).__name__
        raise DataError(f"must be a string, not {kind}", where=fields.text)
    name = read_name(record, fields.id) or where
    return Text(whole_characters(text), whole_characters(name), where, read)


class StreamReader(Protocol):
    """What reads documents from an open file."""

    def __call__(self, file: BinaryIO, name: str, fields: Fields, before: int = 0) -> Iterator[Text | Fault]:
        """Those of a file that is called ``name``, or of a piece of it that has lines ``before`` it."""


#: What reads each kind.
STREAMS: dict[str, StreamReader] = {
    "text": _whole_text,
    "lines": _text_lines,
    "jsonl": _json_lines,
    "csv": partial(_rows, ","),
    "tsv": partial(_rows, "\t"),
}
