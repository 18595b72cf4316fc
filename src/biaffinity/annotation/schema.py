"""What is kept of a document, wherever documents are kept, in one place.

JSON without tokens has these fields; Parquet, Arrow batches, data frames, CSV and the tables of a store are
made from them. An unknown score is null.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from biaffinity.errors import MissingExtraError

#: Of an entity; starts and ends are characters of the document's text.
MENTION: dict[str, type] = {"text": str, "type": str, "start_char": int, "end_char": int, "score": float}
#: Of a relation; head and tail are its arguments' places among the document's entities, from 0.
RELATION: dict[str, type] = {"type": str, "head": int, "tail": int, "score": float}
Fields = dict[str, type | list[dict[str, type]]]
#: Of a document; a list holds records of what is in it.
DOCUMENT: Fields = {
    "id": str,
    "text": str,
    "entities": [MENTION],
    "relations": [RELATION],
}
#: Of a document that may have failed; then it has a problem, and no entities and relations.
RESULT: Fields = {**DOCUMENT, "problem": str}


def arrow_schema(fields: Fields = DOCUMENT) -> Any:
    """A `pyarrow.Schema` of documents, a row each; needs the extra ``tables``."""
    pyarrow = arrow_library("an Arrow schema")
    types = arrow_types(pyarrow)
    return pyarrow.schema(
        [
            (name, types[kind] if isinstance(kind, type) else pyarrow.list_(_struct(pyarrow, *kind)))
            for name, kind in fields.items()
        ]
    )


def arrow_types(pyarrow: Any) -> dict[type, Any]:
    """Python's types of columns and Arrow's."""
    return {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64()}


def arrow_library(purpose: str) -> Any:
    """The module ``pyarrow``, of the extra ``tables``."""
    try:
        return import_module("pyarrow")
    except ModuleNotFoundError as error:
        raise MissingExtraError(purpose, "tables") from error


def _struct(pyarrow: Any, fields: dict[str, type]) -> Any:
    types = arrow_types(pyarrow)
    return pyarrow.struct([(name, types[kind]) for name, kind in fields.items()])
