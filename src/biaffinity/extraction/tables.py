"""Documents as tables, Arrow or pandas: a row for each entity and relation; needs the extra ``tables``."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any, NamedTuple

from biaffinity.annotation import Document, Mention
from biaffinity.errors import MissingExtraError

#: Column name to type; ``document`` is the document's id, characters count from the start of its text.
ENTITY_COLUMNS = {
    "document": str,
    "text": str,
    "type": str,
    "start": int,
    "end": int,
    "score": float,
}
RELATION_COLUMNS = {
    "document": str,
    "type": str,
    "head": str,
    "head_type": str,
    "head_start": int,
    "head_end": int,
    "tail": str,
    "tail_type": str,
    "tail_start": int,
    "tail_end": int,
    "score": float,
}
_PANDAS = {str: "object", int: "int64", float: "float64"}

Columns = dict[str, list[Any]]


class Tables(NamedTuple):
    """The two tables of some documents."""

    entities: Any
    relations: Any


def to_arrow(documents: Iterable[Document]) -> Tables:
    """Two `pyarrow.Table`; an unknown score is null."""
    pyarrow = _import("pyarrow")
    types = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64()}
    return Tables(
        *(
            pyarrow.table(
                columns, schema=pyarrow.schema([(name, types[kind]) for name, kind in kinds.items()])
            )
            for columns, kinds in _columns(documents)
        )
    )


def to_pandas(documents: Iterable[Document]) -> Tables:
    """Two `pandas.DataFrame`; an unknown score is NaN."""
    pandas = _import("pandas")
    return Tables(
        *(
            pandas.DataFrame(columns).astype({name: _PANDAS[kind] for name, kind in kinds.items()})
            for columns, kinds in _columns(documents)
        )
    )


def _columns(documents: Iterable[Document]) -> list[tuple[Columns, dict[str, type]]]:
    """The columns of both tables with their types."""
    entities: list[tuple[Any, ...]] = []
    relations: list[tuple[Any, ...]] = []
    for document in documents:
        entities += [(document.id, *_cells(mention), mention.score) for mention in document.entities]
        relations += relation_rows(document)
    return [
        ({name: [row[i] for row in rows] for i, name in enumerate(kinds)}, kinds)
        for rows, kinds in ((entities, ENTITY_COLUMNS), (relations, RELATION_COLUMNS))
    ]


def relation_rows(document: Document) -> list[tuple[Any, ...]]:
    """A row of `RELATION_COLUMNS` for every relation of a document."""
    return [
        (document.id, relation.type, *_cells(relation.head), *_cells(relation.tail), relation.score)
        for relation in document.relations
    ]


def _cells(mention: Mention) -> tuple[str, str, int, int]:
    return mention.text, mention.type, mention.start_char, mention.end_char


def _import(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"a table of {name}", "tables") from error
