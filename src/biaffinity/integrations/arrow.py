"""Arrow batches of texts in, Arrow batches of documents out: what Spark, Ray, Daft and DuckDB have in common.

Needs the extra ``tables``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from biaffinity.annotation import Document
from biaffinity.annotation.schema import RESULT, arrow_library, arrow_schema
from biaffinity.bulk.readers import Fault, Fields, Text, read_batch
from biaffinity.bulk.run import InputDigest, TextExtractor, annotate, cut
from biaffinity.errors import DataError

_SPARK = {str: "string", int: "bigint", float: "double"}


class ArrowExtractor:
    """Annotates batches; it can be sent to other processes, each of which reads the model once.

    ``text`` and ``id`` are columns of what comes in. What comes out has the columns of `schema`, a row for
    each that came in, in the same order: ``id``, ``text``, ``entities``, ``relations``, and ``problem``,
    which is null unless the document failed. Where there is no column of ids, ``id`` is null.
    """

    def __init__(self, extractor: TextExtractor, *, text: str = "text", id: str = "id") -> None:
        arrow_library("reading Arrow batches")  # find out now, not in some other process
        self.extractor = extractor
        self.fields = Fields(text, id)

    @property
    def schema(self) -> Any:
        """The `pyarrow.Schema` of what comes out."""
        return arrow_schema(RESULT)

    @property
    def spark_schema(self) -> str:
        """The same as Spark writes it."""
        return spark_schema()

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Annotate batch by batch: the function that Spark's ``mapInArrow`` takes."""
        return map(self.batch, batches)

    def batch(self, batch: Any) -> Any:
        """Annotate a `pyarrow.RecordBatch`, or a `pyarrow.Table`; what comes out is of the same kind."""
        if self.fields.text not in batch.schema.names:
            raise DataError(
                f"there is no column {self.fields.text!r}",
                remedy=f"name the column of the texts: {', '.join(batch.schema.names):.200}",
            )
        rows = [row for each in _record_batches(batch) for row in self._rows(each)]
        return type(batch).from_pylist(rows, schema=self.schema)

    def _rows(self, batch: Any) -> Iterator[dict[str, Any]]:
        places = [(f"row {number}", 0) for number in range(batch.num_rows)]
        items = list(read_batch(batch, self.fields, places))
        results = (
            result
            for chunk in cut(items, InputDigest())
            for result in annotate(self.extractor, as_record, chunk).results
        )
        has_ids = self.fields.id in batch.schema.names
        for item, result in zip(items, results, strict=True):
            row = _failed(item, result) if isinstance(result, Fault) else result
            yield row if has_ids else {**row, "id": None}


def spark_schema() -> str:
    """The columns of what comes out, in Spark's own words.

    >>> spark_schema().split(", entities ")[0]
    'id string, text string'
    """
    columns = []
    for name, kind in RESULT.items():
        if isinstance(kind, type):
            columns.append(f"{name} {_SPARK[kind]}")
        else:
            fields = ", ".join(f"{field}: {_SPARK[own]}" for field, own in kind[0].items())
            columns.append(f"{name} array<struct<{fields}>>")
    return ", ".join(columns)


def as_record(document: Document) -> dict[str, Any]:
    """A row of what comes out."""
    return document.to_dict(tokens=False)


def _failed(item: Text | Fault, fault: Fault) -> dict[str, Any]:
    known = {"id": item.id, "text": item.text} if isinstance(item, Text) else {}
    return {**known, "problem": fault.problem}


def _record_batches(batch: Any) -> Iterable[Any]:
    return batch.to_batches() if hasattr(batch, "to_batches") else [batch]
