"""The documents of a part, as one machine reads them in the whole file."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from biaffinity.bulk.readers import STREAMS, Fault, Fields, Text, parquet_library, read_batch, require_column
from biaffinity.cluster.locations import Location, filesystem
from biaffinity.cluster.plan import Part
from biaffinity.errors import DataError


def read_part(part: Part, fields: Fields) -> Iterator[Text | Fault]:
    """The documents of a part."""
    if part.kind == "text":
        for location in part.files:
            yield from _read_text(location, fields)
        return
    (location,) = part.files
    if part.kind == "parquet":
        yield from _read_rows(part, location, fields)
        return
    try:
        fs, path = filesystem(location.place)
        with fs.open_input_file(path) as file:
            raw = (file.read_at(part.header, 0) if part.header else b"") + file.read_at(part.size, part.start)
    except OSError as error:
        raise DataError(f"cannot be read: {error}", where=location.name) from error
    yield from STREAMS[part.kind](io.BytesIO(raw), location.name, fields, part.before)


def _read_text(location: Location, fields: Fields) -> Iterator[Text | Fault]:
    """A file that cannot be read is a document that failed, as on one machine."""
    try:
        fs, path = filesystem(location.place)
        with fs.open_input_stream(path) as file:
            raw = file.read()
    except OSError as error:
        yield Fault(f"{location.name}: cannot be read: {error}", 0)
        return
    yield from STREAMS["text"](io.BytesIO(raw), location.name, fields)


def _read_rows(part: Part, location: Location, fields: Fields) -> Iterator[Text | Fault]:
    pyarrow, parquet = parquet_library("reading Parquet")
    fs, path = filesystem(location.place)
    try:
        with fs.open_input_file(path) as file:
            table = parquet.ParquetFile(file)
            columns = table.schema_arrow.names
            require_column(columns, fields, location.name)
            wanted = [name for name in dict.fromkeys((fields.text, fields.id)) if name in columns]
            for first, batch in _batches(table, part, wanted):
                places = [(f"{location.name}: row {first + n + 1}", 0) for n in range(batch.num_rows)]
                yield from read_batch(batch, fields, places)
    except (pyarrow.ArrowException, OSError) as error:
        raise DataError(
            f"cannot be read as Parquet: {str(error).splitlines()[0]}", where=location.name
        ) from error


def _batches(table: Any, part: Part, columns: list[str]) -> Iterator[tuple[int, Any]]:
    """The batches of a part's rows, each with the number of its first row in the file."""
    first = 0
    for group in range(table.metadata.num_row_groups):
        rows = table.metadata.row_group(group).num_rows
        if first < part.end and first + rows > part.start:
            at = first
            for batch in table.iter_batches(batch_size=256, row_groups=[group], columns=columns):
                start, end = max(part.start - at, 0), min(part.end - at, batch.num_rows)
                if end > start:
                    yield at + start, batch.slice(start, end - start)
                at += batch.num_rows
        first += rows
