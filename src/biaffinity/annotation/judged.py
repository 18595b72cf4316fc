"""What of a sentence was judged, where that is not all of it: partly annotated data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from biaffinity.errors import AnnotationError

FIELDS = ("tokens", "relations", "undecided")
Undecided = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Judged:
    """What somebody looked at; nothing is known of the rest.

    ``tokens`` are the spans of tokens in which all entities are marked, None for the whole sentence. The
    tokens of an entity that is marked are always judged. ``relations`` are the types of which every relation
    is marked, None for all types; what is marked of other types is true, and there may be more of it.
    ``undecided`` are single relations, (type, head, tail), that may hold or not.

    >>> Judged(tokens=[(0, 2)], relations=["Live_In"]).decides("Work_For", 0, 1)
    False
    """

    tokens: Sequence[tuple[int, int]] | None = None
    relations: Sequence[str] | None = None
    undecided: Sequence[Undecided] = ()

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        if self.tokens is not None:
            set_(self, "tokens", tuple(map(tuple, self.tokens)))
        if self.relations is not None:
            set_(self, "relations", tuple(self.relations))
        set_(self, "undecided", tuple(map(tuple, self.undecided)))

    def decides(self, type: str, head: int, tail: int) -> bool:
        """Whether it is known if this relation holds; one that is marked does, whatever this says."""
        known = self.relations is None or type in self.relations
        return known and (type, head, tail) not in self.undecided

    def open_tokens(self, length: int, entities: Sequence[tuple[int, int]]) -> list[bool]:
        """For every token of a sentence with these entities' spans, whether nobody judged it."""
        if self.tokens is None:
            return [False] * length
        unknown = [True] * length
        for start, end in (*self.tokens, *entities):
            unknown[start:end] = [False] * (end - start)
        return unknown

    def require(self, length: int, entities: int, relations: Sequence[Undecided]) -> None:
        """Refuse what cannot be said of a sentence of so many tokens and entities and these relations."""
        position = 0
        for index, (start, end) in enumerate(self.tokens or ()):
            if not position <= start < end <= length:
                raise AnnotationError(
                    f"span {start}..{end} is empty, out of order or leaves the sentence of {length} tokens",
                    where=f"judged.tokens[{index}]",
                )
            position = end
        for index, (type_, head, tail) in enumerate(self.undecided):
            where = f"judged.undecided[{index}]"
            if max(head, tail) >= entities:
                raise AnnotationError(
                    f"names entity {max(head, tail)}, but there are {entities}",
                    where=where,
                    remedy="head and tail count the sentence's entities from 0",
                )
            if (type_, head, tail) in relations:
                raise AnnotationError(
                    f"{type_}({head}, {tail}) is marked as a relation and called undecided",
                    where=where,
                    remedy="leave it out of one of the two",
                )

    def to_dict(self) -> dict[str, Any]:
        """A JSON object; what was judged whole is left out."""
        record: dict[str, Any] = {}
        if self.tokens is not None:
            record["tokens"] = [list(span) for span in self.tokens]
        if self.relations is not None:
            record["relations"] = list(self.relations)
        if self.undecided:
            record["undecided"] = [
                {"type": type_, "head": head, "tail": tail} for type_, head, tail in self.undecided
            ]
        return record

    @classmethod
    def from_dict(cls, record: object) -> Judged:
        """The inverse of `to_dict`; a field that is unknown or ill-typed is named in the error."""
        if not isinstance(record, Mapping):
            raise AnnotationError(f"must be an object, not {record!r:.40}", where="judged")
        for key in record.keys() - set(FIELDS):
            raise AnnotationError(f"is unknown; known are {', '.join(FIELDS)}", where=f"judged.{key}")
        return cls(
            tokens=_each(record, "tokens", _span),
            relations=_each(record, "relations", _type),
            undecided=_each(record, "undecided", _undecided) or (),
        )


def _each(record: Mapping[str, Any], key: str, read: Any) -> list[Any] | None:
    values, where = record.get(key), f"judged.{key}"
    if values is None:
        return None
    if not isinstance(values, list):
        raise AnnotationError(f"must be a list, not {values!r:.40}", where=where)
    return [read(value, f"{where}[{index}]") for index, value in enumerate(values)]


def _span(value: object, where: str) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2 or not all(map(_is_index, value)):
        raise AnnotationError(f"must be a pair [start, end] of tokens, not {value!r:.40}", where=where)
    return value[0], value[1]


def _type(value: object, where: str) -> str:
    if not isinstance(value, str) or not value:
        raise AnnotationError(f"must be a relation type, not {value!r:.40}", where=where)
    return value


def _undecided(value: object, where: str) -> Undecided:
    if not isinstance(value, Mapping):
        raise AnnotationError(f"must be an object with type, head and tail, not {value!r:.40}", where=where)
    for key in ("head", "tail"):
        if not _is_index(value.get(key)):
            raise AnnotationError(
                f"{key} must be an entity's number, not {value.get(key)!r:.40}", where=where
            )
    return _type(value.get("type"), f"{where}.type"), value["head"], value["tail"]


def _is_index(value: object) -> bool:
    return type(value) is int and value >= 0
