"""A text cut into annotated sentences, and its entities and relations in characters of the text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any

from biaffinity.annotation.notebook import drawing
from biaffinity.annotation.sentence import (
    Json,
    Relation,
    Sentence,
    list_of,
    read_name,
    read_spans,
    relation_record,
)
from biaffinity.annotation.tables import Tables, to_arrow, to_pandas
from biaffinity.errors import AnnotationError, MissingExtraError

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

CHARACTERS = ("start_char", "end_char")


_SHOWN = 60  # characters of its text in what a document is shown as


@dataclass(frozen=True, slots=True)
class EntityMention:
    """An `Entity` as it stands in a document: ``document.text[start_char:end_char] == text``.

    ``sentence`` is the index of its sentence; ``start`` and ``end`` are its tokens there.
    """

    text: str
    start_char: int
    end_char: int
    type: str
    score: float | None
    sentence: int
    start: int
    end: int

    def __repr__(self) -> str:
        place = f"{self.start_char}-{self.end_char}"
        return f"EntityMention({self.text!r}, {self.type}, characters {place}{_shown(self.score)})"

    def to_dict(self, *, tokens: bool = True) -> Json:
        """A JSON object; without ``tokens`` its place among them is left out, as an unknown score is."""
        record: Json = {
            "text": self.text,
            "type": self.type,
            "start_char": self.start_char,
            "end_char": self.end_char,
        }
        if tokens:
            record["sentence"] = self.sentence
            record["start"] = self.start
            record["end"] = self.end
        if self.score is not None:
            record["score"] = self.score
        return record


@dataclass(frozen=True, slots=True)
class RelationMention:
    """A `Relation` as it stands in a document, with both its arguments.

    Its text and characters run from the first character of one argument to the last of the other.
    """

    type: str
    head: EntityMention
    tail: EntityMention
    score: float | None
    text: str
    start_char: int
    end_char: int

    def __repr__(self) -> str:
        return f"RelationMention({self.head.text!r} -> {self.tail.text!r}, {self.type}{_shown(self.score)})"


class _Views:
    """Slots for what a document makes of its sentences at first use and keeps.

    They are no fields, so they are not compared, shown, copied or pickled.
    """

    __slots__ = ("_entities", "_relations")

    _entities: tuple[EntityMention, ...]
    _relations: tuple[RelationMention, ...]


@dataclass(frozen=True, slots=True)
class Document(_Views):
    """A text, cut into sentences; its text is theirs joined.

    >>> from biaffinity import Document, Entity, Sentence
    >>> doc = Document([Sentence(["Anna", "left", "."], [Entity(0, 1, "Peop")]).with_text()])
    >>> doc.text, doc.entities[0].text
    ('Anna left .\\n', 'Anna')
    >>> doc
    Document('Anna left .', 1 sentence, 1 entity, 0 relations)
    """

    sentences: Sequence[Sentence]
    id: str = ""
    text: str = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sentences", tuple(self.sentences))
        for index, sentence in enumerate(self.sentences):
            if sentence.text is None:
                raise AnnotationError(
                    "has no text",
                    where=f"sentences[{index}]",
                    remedy="give it one with Sentence.with_text()",
                )
        object.__setattr__(self, "text", "".join(s.text or "" for s in self.sentences))

    def __repr__(self) -> str:
        shown = " ".join(self.text[: 2 * _SHOWN].split())
        shown = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 3] + "..."
        counts = (
            _count(len(self.sentences), "sentence", "sentences"),
            _count(sum(len(s.entities) for s in self.sentences), "entity", "entities"),
            _count(sum(len(s.relations) for s in self.sentences), "relation", "relations"),
        )
        return f"Document({', '.join((*([f'id={self.id!r}'] if self.id else []), repr(shown), *counts))})"

    @property
    def offsets(self) -> list[int]:
        """The position of every sentence's first character in the text."""
        return list(accumulate((len(s.text or "") for s in self.sentences), initial=0))[:-1]

    @property
    def entities(self) -> tuple[EntityMention, ...]:
        """Every entity, in the order of the sentences."""
        try:
            return self._entities
        except AttributeError:
            object.__setattr__(self, "_entities", tuple(self._mentions()))
            return self._entities

    @property
    def relations(self) -> tuple[RelationMention, ...]:
        """Every relation with its arguments, in the order of the sentences."""
        try:
            return self._relations
        except AttributeError:
            object.__setattr__(self, "_relations", tuple(self._relation_mentions()))
            return self._relations

    def triples(self) -> list[tuple[str, str, str]]:
        """The relations as (head text, relation type, tail text)."""
        return [(relation.head.text, relation.type, relation.tail.text) for relation in self.relations]

    def to_dict(self, *, tokens: bool = True) -> Json:
        """A JSON object: the text, its entities, the relations between them (by index), its sentences.

        All characters count from the start of the text; each sentence carries its tokens. Without
        ``tokens`` there are no sentences, and no entity has its place in them.
        """
        record: Json = {
            "id": self.id,
            "text": self.text,
            "entities": [mention.to_dict(tokens=tokens) for mention in self.entities],
            "relations": [relation_record(relation, shift) for relation, shift in self._shifted()],
        }
        if tokens:
            record["sentences"] = [
                {
                    "id": sentence.id,
                    "start_char": offset,
                    "end_char": offset + len(sentence.text or ""),
                    "tokens": list(sentence.tokens),
                    "token_spans": [[offset + a, offset + b] for a, b in sentence.token_spans or ()],
                    **({} if sentence.judged is None else {"judged": sentence.judged.to_dict()}),
                }
                for offset, sentence in zip(self.offsets, self.sentences, strict=True)
            ]
        return record

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Document:
        """The inverse of `to_dict` with tokens; the sentences' ``document`` becomes this document's id."""
        text, name = record.get("text"), read_name(record, "id") or ""
        if not isinstance(text, str):
            raise AnnotationError("must be a string", where="text")
        if "sentences" not in record:
            raise AnnotationError(
                "are missing: the record was made without tokens",
                where="sentences",
                remedy="make it with tokens, or read it from a file with biaffinity.formats.read",
            )
        parts = list_of(record, "sentences", dict)
        annotation = _by_sentence(
            list_of(record, "entities", dict), list_of(record, "relations", dict), len(parts)
        )
        sentences = (
            _read_part(part, index, text, name, *annotation[index]) for index, part in enumerate(parts)
        )
        document = cls(list(sentences), id=name)
        if document.text != text:
            raise AnnotationError("do not cover the text exactly", where="sentences")
        return document

    def to_json(self, *, tokens: bool = True) -> str:
        """`to_dict` as one line of JSON."""
        return json.dumps(self.to_dict(tokens=tokens), ensure_ascii=False)

    @classmethod
    def from_json(cls, line: str) -> Document:
        """The inverse of `to_json` with tokens."""
        try:
            record = json.loads(line)
        except ValueError as error:
            raise AnnotationError(f"is not JSON: {error}") from None
        if not isinstance(record, dict):
            raise AnnotationError("must be a JSON object")
        return cls.from_dict(record)

    def to_pandas(self) -> Tables:
        """Its entities and its relations as two `pandas.DataFrame`; needs the extra ``tables``."""
        return to_pandas([self])

    def to_arrow(self) -> Tables:
        """Its entities and its relations as two `pyarrow.Table`; needs the extra ``tables``."""
        return to_arrow([self])

    def to_spacy(self, vocab: Vocab | None = None) -> Doc:
        """A spaCy document of the same text, tokens, sentences, entities and relations (``doc._.relations``).

        ``vocab`` is that of a pipeline the document shall go on to, ``nlp.vocab``. Of entities that overlap,
        ``doc.ents`` has the longest. Needs the extra ``spacy``.
        """
        try:
            from biaffinity.integrations.spacy_documents import from_document
        except ModuleNotFoundError as error:
            raise MissingExtraError("a spaCy document", "spacy") from error
        return from_document(self, vocab)

    def _repr_html_(self) -> str | None:
        """The drawing that a notebook shows (see `biaffinity.show`)."""
        return drawing(self)

    def _mentions(self) -> Iterator[EntityMention]:
        """The entities in characters of the document."""
        for index, (offset, sentence) in enumerate(zip(self.offsets, self.sentences, strict=True)):
            for number, entity in enumerate(sentence.entities):
                start, end = sentence.char_span(number) or (0, 0)
                yield EntityMention(
                    text=self.text[offset + start : offset + end],
                    start_char=offset + start,
                    end_char=offset + end,
                    type=entity.type,
                    score=entity.score,
                    sentence=index,
                    start=entity.start,
                    end=entity.end,
                )

    def _relation_mentions(self) -> Iterator[RelationMention]:
        """The relations between those entities."""
        mentions = self.entities
        for relation, shift in self._shifted():
            head, tail = mentions[shift + relation.head], mentions[shift + relation.tail]
            start = min(head.start_char, tail.start_char)
            end = max(head.end_char, tail.end_char)
            yield RelationMention(relation.type, head, tail, relation.score, self.text[start:end], start, end)

    def _shifted(self) -> Iterator[tuple[Relation, int]]:
        """Every relation with the number of entities before its sentence, from which its arguments count."""
        before = 0
        for sentence in self.sentences:
            for relation in sentence.relations:
                yield relation, before
            before += len(sentence.entities)


def _shown(score: float | None) -> str:
    return "" if score is None else f", score {score:.2f}"


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def documents(sentences: Iterable[Sentence]) -> Iterator[Document]:
    """Neighbouring sentences of one document gathered; one without a document stands alone.

    >>> parts = [Sentence(["a"], document="x"), Sentence(["b"], document="x"), Sentence(["c"], id="y")]
    >>> [(d.id, d.text) for d in documents(parts)]
    [('x', 'a\\nb\\n'), ('y', 'c\\n')]
    """
    for name, group in groupby(sentences, key=lambda s: s.document):
        if name is None:
            for sentence in group:
                yield Document([sentence.with_text()], id=sentence.id)
        else:
            yield Document([sentence.with_text() for sentence in group], id=name)


def _by_sentence(
    entities: Sequence[Json], relations: Sequence[Json], sentences: int
) -> list[tuple[list[Json], list[Json]]]:
    """The entities and relations of every sentence, the relations' arguments counted within it."""
    parts: list[tuple[list[Json], list[Json]]] = [([], []) for _ in range(sentences)]
    place: list[tuple[int, int]] = []
    for number, entity in enumerate(entities):
        index = entity.get("sentence")
        if type(index) is not int or not 0 <= index < sentences:
            raise AnnotationError(
                f"names sentence {index!r:.40}, but there are {sentences}",
                where=f"entities[{number}]",
                remedy="sentence counts the document's sentences from 0",
            )
        place.append((index, len(parts[index][0])))
        parts[index][0].append(entity)
    for number, relation in enumerate(relations):
        arguments = []
        for argument in ("head", "tail"):
            value = relation.get(argument)
            if type(value) is not int or not 0 <= value < len(place):
                raise AnnotationError(
                    f"{argument} names entity {value!r:.40}, but there are {len(place)}",
                    where=f"relations[{number}]",
                    remedy="head and tail count the document's entities from 0",
                )
            arguments.append(place[value])
        (head_sentence, head), (tail_sentence, tail) = arguments
        if head_sentence != tail_sentence:
            raise AnnotationError(
                f"joins sentences {head_sentence} and {tail_sentence}",
                where=f"relations[{number}]",
                remedy="a relation stays within one sentence",
            )
        parts[head_sentence][1].append({**relation, "head": head, "tail": tail})
    return parts


def _read_part(
    part: Json, index: int, text: str, name: str, entities: Iterable[Json], relations: Iterable[Json]
) -> Sentence:
    """One sentence of a document's record, its characters counted from its own start again."""
    start, end = part.get("start_char"), part.get("end_char")
    if type(start) is not int or type(end) is not int:
        raise AnnotationError("needs start_char and end_char, whole numbers", where=f"sentences[{index}]")
    try:
        return Sentence.from_dict(
            {
                "id": part.get("id"),
                "document": name or None,
                "tokens": part.get("tokens"),
                "text": text[start:end],
                "token_spans": [(a - start, b - start) for a, b in read_spans(part) or ()],
                "entities": [
                    {**e, **{key: e[key] - start for key in CHARACTERS if type(e.get(key)) is int}}
                    for e in entities
                ],
                "relations": list(relations),
                "judged": part.get("judged"),
            }
        )
    except AnnotationError as error:
        raise error.at(f"sentences[{index}]") from None
