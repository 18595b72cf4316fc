"""Documents as tables, Arrow or pandas: a row for each entity and relation; needs the extra ``tables``.

Every row can be joined back to its text: ``number`` is the place of its document among those given, from 0,
and ``document`` its id, or what came with it in a stream of pairs, or that number where there is neither.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from biaffinity.annotation.schema import MENTION, arrow_library, arrow_types
from biaffinity.errors import MissingExtraError

if TYPE_CHECKING:
    from biaffinity.annotation.document import Document, EntityMention


def _named(name: str) -> str:
    """What a column of a mention is called in a table, where all columns count characters."""
    return name.removesuffix("_char")


def argument_columns(name: str) -> dict[str, str]:
    """What the columns of a mention are called for an argument of a relation: its text bears its name alone.

    >>> argument_columns("head")
    {'text': 'head', 'type': 'head_type', 'start_char': 'head_start', 'end_char': 'head_end'}
    """
    own = (column for column in MENTION if column != "score")
    return {column: name if column == "text" else f"{name}_{_named(column)}" for column in own}


def _argument(name: str) -> dict[str, type]:
    return {called: MENTION[column] for column, called in argument_columns(name).items()}


#: Column name to type; starts and ends are characters of the document's text.
ENTITY_COLUMNS: dict[str, type] = {"document": str, **{_named(name): kind for name, kind in MENTION.items()}}
RELATION_COLUMNS: dict[str, type] = {
    "document": str,
    "type": str,
    **_argument("head"),
    **_argument("tail"),
    "score": float,
}
_NUMBER = {"number": int}
_PANDAS = {str: "object", int: "int64", float: "float64"}

Columns = dict[str, list[Any]]


class Tables(NamedTuple):
    """The two tables of some documents."""

    entities: Any
    relations: Any


def to_arrow(documents: Iterable[Document | tuple[Document, Any]]) -> Tables:
    """Two `pyarrow.Table` of documents, or of pairs as a stream gives them; an unknown score is null."""
    pyarrow = arrow_library("a table of pyarrow")
    types = arrow_types(pyarrow)
    return Tables(
        *(
            pyarrow.table(
                columns, schema=pyarrow.schema([(name, types[kind]) for name, kind in kinds.items()])
            )
            for columns, kinds in _columns(documents)
        )
    )


def to_pandas(documents: Iterable[Document | tuple[Document, Any]]) -> Tables:
    """Two `pandas.DataFrame` of documents, or of pairs as a stream gives them; an unknown score is NaN."""
    try:
        pandas = import_module("pandas")
    except ModuleNotFoundError as error:
        raise MissingExtraError("a table of pandas", "tables") from error
    return Tables(
        *(
            pandas.DataFrame(columns).astype({name: _PANDAS[kind] for name, kind in kinds.items()})
            for columns, kinds in _columns(documents)
        )
    )


def _columns(
    documents: Iterable[Document | tuple[Document, Any]],
) -> list[tuple[Columns, dict[str, type]]]:
    """The columns of both tables with their types."""
    entities: list[tuple[Any, ...]] = []
    relations: list[tuple[Any, ...]] = []
    for number, item in enumerate(documents):
        document, context = item if isinstance(item, tuple) else (item, None)
        name = document.id or str(number if context is None else context)
        entities += [(number, name, *_cells(e), e.score) for e in document.entities]
        relations += [(number, *row) for row in relation_rows(document, name)]
    return [
        ({name: [row[i] for row in rows] for i, name in enumerate(kinds)}, kinds)
        for rows, kinds in (
            (entities, _NUMBER | ENTITY_COLUMNS),
            (relations, _NUMBER | RELATION_COLUMNS),
        )
    ]


def relation_rows(document: Document, name: str) -> list[tuple[Any, ...]]:
    """A row of `RELATION_COLUMNS` for every relation of a document that is called so."""
    return [
        (name, relation.type, *_cells(relation.head), *_cells(relation.tail), relation.score)
        for relation in document.relations
    ]


def _cells(mention: EntityMention) -> tuple[str, str, int, int]:
    return mention.text, mention.type, mention.start_char, mention.end_char
