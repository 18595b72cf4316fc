"""The texts of a stream: bare, with something of the caller's, with entities of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from numbers import Integral
from typing import Any

from biaffinity.errors import UsageError
from biaffinity.extraction.given import GivenEntity
from biaffinity.extraction.thresholds import MinScore, Thresholds

_MISSING: Any = object()


@dataclass(frozen=True, slots=True)
class TextInput:
    """A text of a stream with what is asked of it alone: see `Extractor.__call__`."""

    text: str
    id: str = ""
    entities: Iterable[GivenEntity] | None = None
    min_score: MinScore | Thresholds | None = None


def read_item(item: object) -> TextInput:
    """What is asked of a stream's item: a text, a `TextInput`, or a pair of either and the caller's id."""
    own, id_ = item if isinstance(item, tuple | list) and len(item) == 2 else (item, "")
    name = str(id_) if isinstance(id_, str | Integral) else ""
    if isinstance(own, TextInput):
        return replace(own, id=own.id or name)
    if not isinstance(own, str):
        raise UsageError(f"must be a string or a pair (string, id), not {type(item).__name__}")
    return TextInput(own, name)


def with_entities(
    items: Iterable[Any], entities: Iterable[Iterable[GivenEntity] | None]
) -> Iterator[TextInput | tuple[TextInput, Any]]:
    """The items of a stream, each with the entities that stand in its place; None is none given.

    >>> [item] = with_entities([("Ana left.", 7)], [[(0, 3)]])
    >>> item
    (TextInput(text='Ana left.', id='7', entities=[(0, 3)], min_score=None), 7)
    """
    for number, (item, given) in enumerate(zip_longest(items, entities, fillvalue=_MISSING)):
        if item is _MISSING or given is _MISSING:
            what = "entities" if item is _MISSING else "texts"
            raise UsageError(
                f"there are more {what} than the {number} {'texts' if item is _MISSING else 'entities'}",
                remedy="give for each text a list of its entities, or None",
            )
        try:
            own = read_item(item)
        except UsageError as error:
            raise error.at(f"texts[{number}]") from None
        own = own if given is None else replace(own, entities=given)
        yield (own, item[1]) if isinstance(item, tuple | list) else own


def require_texts(texts: object) -> None:
    """An error unless this is an iterable of texts."""
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise UsageError(
            f"texts must be an iterable of strings, not {type(texts).__name__}",
            remedy="for one text call the extractor itself",
        )


def as_pairs(texts: Iterable[Any], as_tuples: bool) -> Iterator[tuple[Any, Any]]:
    """Each text with what came with it, which is nothing unless they come ``as_tuples``."""
    for number, item in enumerate(texts):
        if not as_tuples:
            yield item, None
        elif isinstance(item, tuple | list) and len(item) == 2:
            yield item[0], item[1]
        else:
            raise UsageError("must be a pair (text, context)", where=f"texts[{number}]")
