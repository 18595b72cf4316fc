"""A sentence: tokens, the entities among them, the relations between those."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeVar

from biaffinity.annotation.judged import Judged
from biaffinity.annotation.notebook import drawing
from biaffinity.errors import AnnotationError

Json = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entity:
    """A typed span of tokens, ``start`` to ``end`` (exclusive), in one sentence.

    >>> Entity(0, 2, "Peop")
    Entity(start=0, end=2, type='Peop', score=None)
    """

    start: int
    end: int
    type: str
    score: float | None = None

    def __post_init__(self) -> None:
        _require_index(self.start, "start")
        _require_index(self.end, "end")
        if self.end <= self.start:
            raise AnnotationError(
                f"entity span {self.start}..{self.end} is empty or reversed",
                remedy="the start comes before the end, which is exclusive",
            )
        _require_label(self.type, "entity type")
        _require_score(self.score)

    def overlaps(self, other: Entity) -> bool:
        """Whether the two spans share a token."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Relation:
    """A typed, directed relation; ``head`` and ``tail`` index the sentence's entities.

    >>> Relation("Work_For", head=0, tail=1).type
    'Work_For'
    """

    type: str
    head: int
    tail: int
    score: float | None = None

    def __post_init__(self) -> None:
        _require_label(self.type, "relation type")
        _require_index(self.head, "head")
        _require_index(self.tail, "tail")
        if self.head == self.tail:
            raise AnnotationError(f"relation {self.type} joins entity {self.head} to itself")
        _require_score(self.score)


@dataclass(frozen=True, slots=True)
class Sentence:
    """Tokens, the entities among them and the relations between those.

    ``text`` is the sentence as it stood, white space around it included, and ``token_spans`` the
    character span of every token in it; both are known or neither. A token may differ from its
    slice of the text (corpora rewrite quotes and brackets); an entity's text is always the slice.
    ``document`` names the document the sentence came from, if it came from one. ``judged`` tells what of
    it somebody looked at, where that is not all; None says that the annotation is complete.

    >>> s = Sentence(["David", "Foster"], [Entity(0, 2, "Peop")], text="David Foster",
    ...              token_spans=[(0, 5), (6, 12)])
    >>> s.entity_text(0)
    'David Foster'
    """

    tokens: Sequence[str]
    entities: Sequence[Entity] = ()
    relations: Sequence[Relation] = ()
    id: str = ""
    text: str | None = None
    token_spans: Sequence[tuple[int, int]] | None = None
    document: str | None = None
    judged: Judged | None = None

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        if isinstance(self.tokens, str):
            raise AnnotationError("must be a sequence of strings, not one string", where="tokens")
        set_(self, "tokens", tuple(self.tokens))
        set_(self, "entities", tuple(self.entities))
        set_(self, "relations", tuple(self.relations))
        if self.token_spans is not None:
            set_(self, "token_spans", tuple(map(tuple, self.token_spans)))
        _require_tokens(self.tokens)
        _require_entities(self.entities, len(self.tokens))
        _require_relations(self.relations, len(self.entities))
        _require_token_spans(self.tokens, self.text, self.token_spans)
        if self.judged is not None:
            marked = [(r.type, r.head, r.tail) for r in self.relations]
            self.judged.require(len(self.tokens), len(self.entities), marked)

    def __len__(self) -> int:
        return len(self.tokens)

    def char_span(self, entity: int) -> tuple[int, int] | None:
        """The character span of an entity in ``text``; None where the text is not known."""
        if self.token_spans is None:
            return None
        e = self.entities[entity]
        return self.token_spans[e.start][0], self.token_spans[e.end - 1][1]

    def entity_text(self, entity: int) -> str:
        """The slice of the text that an entity covers; its tokens joined where no text is known."""
        span = self.char_span(entity)
        if span is None or self.text is None:
            e = self.entities[entity]
            return " ".join(self.tokens[e.start : e.end])
        return self.text[span[0] : span[1]]

    def with_text(self) -> Sentence:
        """This sentence with a text: its own, or its tokens joined by spaces and a final newline."""
        if self.text is not None:
            return self
        spans, position = [], 0
        for token in self.tokens:
            spans.append((position, position + len(token)))
            position += len(token) + 1
        return replace(self, text=" ".join(self.tokens) + "\n", token_spans=spans)

    @classmethod
    def sound(
        cls,
        tokens: tuple[str, ...],
        text: str,
        token_spans: tuple[tuple[int, int], ...],
        id: str,
        document: str | None,
    ) -> Sentence:
        """A sentence without annotation from a tokeniser, whose tokens need not be checked."""
        sentence = object.__new__(cls)
        values = (tokens, (), (), id, text, token_spans, document, None)
        for name, value in zip(cls.__slots__, values, strict=True):
            object.__setattr__(sentence, name, value)
        return sentence

    def annotated(self, entities: Iterable[Entity], relations: Iterable[Relation] = ()) -> Sentence:
        """The same tokens and text under another annotation, a complete one, which alone is checked."""
        copy = object.__new__(Sentence)
        set_ = object.__setattr__
        for name in ("tokens", "id", "text", "token_spans", "document"):
            set_(copy, name, getattr(self, name))
        set_(copy, "entities", tuple(entities))
        set_(copy, "relations", tuple(relations))
        set_(copy, "judged", None)
        _require_entities(copy.entities, len(copy.tokens))
        _require_relations(copy.relations, len(copy.entities))
        return copy

    def to_dict(self) -> Json:
        """A JSON object; what is not known (text, scores, document) is left out."""
        entities: list[Json] = []
        for index, e in enumerate(self.entities):
            entity: Json = {"start": e.start, "end": e.end, "type": e.type}
            span = self.char_span(index)
            if span is not None:
                entity |= {"start_char": span[0], "end_char": span[1], "text": self.entity_text(index)}
            if e.score is not None:
                entity["score"] = e.score
            entities.append(entity)
        record: Json = {"id": self.id}
        if self.document is not None:
            record["document"] = self.document
        record["tokens"] = list(self.tokens)
        record["entities"] = entities
        record["relations"] = [relation_record(r) for r in self.relations]
        if self.text is not None and self.token_spans is not None:
            record["text"] = self.text
            record["token_spans"] = [list(span) for span in self.token_spans]
        if self.judged is not None:
            record["judged"] = self.judged.to_dict()
        return record

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Sentence:
        """The inverse of `to_dict`; a missing or ill-typed field is named in the error."""
        sentence = cls(
            tokens=list_of(record, "tokens", str),
            entities=[_read_entity(e, i) for i, e in enumerate(list_of(record, "entities", dict))],
            relations=[_read_relation(r, i) for i, r in enumerate(list_of(record, "relations", dict))],
            id=read_name(record, "id") or "",
            text=record.get("text"),
            token_spans=read_spans(record),
            document=read_name(record, "document"),
            judged=None if record.get("judged") is None else Judged.from_dict(record["judged"]),
        )
        for index, entity in enumerate(record["entities"]):
            _require_characters(sentence, index, entity)
        return sentence

    def _repr_html_(self) -> str | None:
        """The drawing that a notebook shows (see `biaffinity.show`)."""
        return drawing(self)


def outermost(entities: Sequence[Entity]) -> list[int]:
    """The indexes, in text order, of entities that do not overlap: longer before shorter, then left.

    What a flat tagger can hold of entities that overlap.

    >>> outermost([Entity(2, 3, "Loc"), Entity(0, 3, "Org"), Entity(4, 5, "Loc")])
    [1, 2]
    """
    # Nearly all are in order and apart, and large training data asks for each of its sentences.
    if all(one.end <= other.start for one, other in pairwise(entities)):
        return list(range(len(entities)))
    order = sorted(
        range(len(entities)), key=lambda i: (entities[i].start - entities[i].end, entities[i].start)
    )
    kept: list[int] = []
    for index in order:
        if not any(entities[index].overlaps(entities[other]) for other in kept):
            kept.append(index)
    return sorted(kept, key=lambda i: entities[i].start)


def relation_record(relation: Relation, shift: int = 0) -> Json:
    """A relation as a JSON object, its arguments' indexes moved by ``shift``."""
    record: Json = {
        "type": relation.type,
        "head": relation.head + shift,
        "tail": relation.tail + shift,
    }
    return record if relation.score is None else {**record, "score": relation.score}


def list_of(record: Mapping[str, Any], key: str, kind: type[T]) -> list[T]:
    """The list under ``key``, every member of it a ``kind``; anything else is an error that names it."""
    values = record.get(key)
    if not isinstance(values, list):
        raise AnnotationError(f"must be a list, not {_name(values)}", where=key)
    for index, value in enumerate(values):
        if not isinstance(value, kind):
            raise AnnotationError(
                f"must be of type {kind.__name__}, not {_name(value)}", where=f"{key}[{index}]"
            )
    return values


def _name(value: object) -> str:
    return "missing" if value is None else f"{value!r:.40}"


def _read_entity(record: Mapping[str, Any], index: int) -> Entity:
    try:
        return Entity(record.get("start"), record.get("end"), record.get("type"), record.get("score"))  # type: ignore[arg-type]
    except AnnotationError as error:
        raise error.at(f"entities[{index}]") from None


def _read_relation(record: Mapping[str, Any], index: int) -> Relation:
    try:
        return Relation(record.get("type"), record.get("head"), record.get("tail"), record.get("score"))  # type: ignore[arg-type]
    except AnnotationError as error:
        raise error.at(f"relations[{index}]") from None


def read_name(record: Mapping[str, Any], key: str) -> str | None:
    """The name under ``key``, a string or a whole number; None where it is absent."""
    value = record.get(key)
    if value is not None and not isinstance(value, str) and type(value) is not int:
        raise AnnotationError(f"must be a string, not {_name(value)}", where=key)
    return None if value is None else str(value)


def read_spans(record: Mapping[str, Any]) -> list[tuple[int, int]] | None:
    """The field ``token_spans`` of a record, None where it is absent."""
    if record.get("token_spans") is None:
        return None
    spans = record["token_spans"]
    if not isinstance(spans, list) or not all(isinstance(s, list | tuple) and len(s) == 2 for s in spans):
        raise AnnotationError("must be a list of [start, end] pairs", where="token_spans")
    if not all(type(position) is int for span in spans for position in span):
        raise AnnotationError("must hold whole numbers", where="token_spans")
    return [(start, end) for start, end in spans]


def _require_index(value: object, name: str) -> None:
    if type(value) is not int:
        raise AnnotationError(f"{name} must be a whole number, not {_name(value)}")
    if value < 0:
        raise AnnotationError(f"{name} must not be negative, but is {value}", remedy="count from 0")


def _require_label(value: object, name: str) -> None:
    if not isinstance(value, str) or not value:
        raise AnnotationError(f"{name} must be a non-empty string, not {_name(value)}")


def _require_score(value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        raise AnnotationError(f"score must lie in [0, 1], not {_name(value)}")


def _require_tokens(tokens: Sequence[object]) -> None:
    for index, token in enumerate(tokens):
        if not isinstance(token, str) or not token:
            raise AnnotationError(f"must be a non-empty string, not {_name(token)}", where=f"tokens[{index}]")


def _require_entities(entities: Sequence[Entity], length: int) -> None:
    seen = set()
    for index, e in enumerate(entities):
        if e.end > length:
            raise AnnotationError(
                f"entity span {e.start}..{e.end} leaves the sentence of {length} tokens",
                where=f"entities[{index}]",
            )
        key = (e.start, e.end, e.type)
        if key in seen:
            raise AnnotationError(
                f"entity {e.type} {e.start}..{e.end} stands there twice",
                where=f"entities[{index}]",
                remedy="keep it once",
            )
        seen.add(key)


def _require_relations(relations: Sequence[Relation], entities: int) -> None:
    seen = set()
    for index, r in enumerate(relations):
        if r.head >= entities or r.tail >= entities:
            missing = r.head if r.head >= entities else r.tail
            raise AnnotationError(
                f"relation {r.type} names entity {missing}, but there are {entities}",
                where=f"relations[{index}]",
                remedy="head and tail count the sentence's entities from 0",
            )
        key = (r.type, r.head, r.tail)
        if key in seen:
            raise AnnotationError(
                f"relation {r.type}({r.head}, {r.tail}) stands there twice",
                where=f"relations[{index}]",
                remedy="keep it once",
            )
        seen.add(key)


def _require_characters(sentence: Sentence, index: int, record: Mapping[str, Any]) -> None:
    """Refuse an entity whose record gives characters or a text other than those of its tokens."""
    written = (record.get("start_char"), record.get("end_char"))
    if written != (None, None) and written != sentence.char_span(index):
        raise AnnotationError(
            f"characters {written[0]}..{written[1]} are not those of its tokens",
            where=f"entities[{index}]",
            remedy="correct start_char and end_char, or leave them out",
        )
    shown, covered = record.get("text"), sentence.entity_text(index)
    if sentence.text is not None and shown not in (None, covered):
        raise AnnotationError(
            f"{shown!r:.40} is not the text of its tokens, {covered!r:.40}",
            where=f"entities[{index}].text",
            remedy="correct its start and end, or leave its text out",
        )


def _require_token_spans(
    tokens: Sequence[str], text: object, spans: Sequence[tuple[int, int]] | None
) -> None:
    if (text is None) != (spans is None):
        raise AnnotationError("text and token_spans are given together or not at all", where="token_spans")
    if text is None or spans is None:
        return
    if not isinstance(text, str):
        raise AnnotationError(f"must be a string, not {_name(text)}", where="text")
    if len(spans) != len(tokens):
        raise AnnotationError(f"there are {len(spans)} spans for {len(tokens)} tokens", where="token_spans")
    position = 0
    for index, (start, end) in enumerate(spans):
        if type(start) is not int or type(end) is not int or not position <= start < end <= len(text):
            raise AnnotationError(
                f"span {start}..{end} is empty, out of order or outside the text",
                where=f"token_spans[{index}]",
            )
        position = end
