"""A text cut into annotated sentences, and its entities and relations in characters of the text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from typing import Any

from biaffinity.annotation.sentence import Entity, Json, Sentence, list_of, read_spans, relation_record
from biaffinity.errors import AnnotationError


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity as it stands in a document: ``document.text[start_char:end_char] == text``.

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

    def to_dict(self) -> Json:
        """A JSON object; an unknown score is left out."""
        record: Json = {
            "text": self.text,
            "type": self.type,
            "start_char": self.start_char,
            "end_char": self.end_char,
            "sentence": self.sentence,
            "start": self.start,
            "end": self.end,
        }
        return record if self.score is None else {**record, "score": self.score}


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation as it stands in a document, with both its arguments.

    Its text and characters run from the first character of one argument to the last of the other.
    """

    type: str
    head: Mention
    tail: Mention
    score: float | None
    text: str
    start_char: int
    end_char: int


@dataclass(frozen=True, slots=True)
class Document:
    """A text, cut into sentences; its text is theirs joined.

    >>> doc = Document([Sentence(["Anna", "left", "."], [Entity(0, 1, "Peop")]).with_text()])
    >>> doc.text, doc.entities[0].text
    ('Anna left .\\n', 'Anna')
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

    @property
    def offsets(self) -> list[int]:
        """The position of every sentence's first character in the text."""
        return list(accumulate((len(s.text or "") for s in self.sentences), initial=0))[:-1]

    @property
    def entities(self) -> tuple[Mention, ...]:
        """Every entity, in the order of the sentences."""
        return tuple(mention for mentions in self._mentions() for mention in mentions)

    @property
    def relations(self) -> tuple[Fact, ...]:
        """Every relation with its arguments, in the order of the sentences."""
        facts = []
        for sentence, mentions in zip(self.sentences, self._mentions(), strict=True):
            for relation in sentence.relations:
                head, tail = mentions[relation.head], mentions[relation.tail]
                start = min(head.start_char, tail.start_char)
                end = max(head.end_char, tail.end_char)
                facts.append(
                    Fact(relation.type, head, tail, relation.score, self.text[start:end], start, end)
                )
        return tuple(facts)

    def triples(self) -> list[tuple[str, str, str]]:
        """The relations as (head text, relation type, tail text)."""
        return [(fact.head.text, fact.type, fact.tail.text) for fact in self.relations]

    def to_dict(self) -> Json:
        """A JSON object: the text, its entities, the relations between them (by index), its sentences.

        All characters count from the start of the text; each sentence carries its tokens.
        """
        mentions = list(self._mentions())
        shifts = accumulate((len(m) for m in mentions), initial=0)
        return {
            "id": self.id,
            "text": self.text,
            "entities": [mention.to_dict() for group in mentions for mention in group],
            "relations": [
                relation_record(relation, shift)
                for shift, sentence in zip(shifts, self.sentences, strict=False)
                for relation in sentence.relations
            ],
            "sentences": [
                {
                    "id": sentence.id,
                    "start_char": offset,
                    "end_char": offset + len(sentence.text or ""),
                    "tokens": list(sentence.tokens),
                    "token_spans": [[offset + a, offset + b] for a, b in sentence.token_spans or ()],
                }
                for offset, sentence in zip(self.offsets, self.sentences, strict=True)
            ],
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Document:
        """The inverse of `to_dict`."""
        text, name = record.get("text"), str(record.get("id", ""))
        if not isinstance(text, str):
            raise AnnotationError("must be a string", where="text")
        entities = list_of(record, "entities", dict)
        relations = list_of(record, "relations", dict)
        sentences = []
        for index, part in enumerate(list_of(record, "sentences", dict)):
            mine = [number for number, entity in enumerate(entities) if entity.get("sentence") == index]
            links = [relation for relation in relations if relation.get("head") in mine]
            try:
                sentences.append(_read_part(part, text, name, {n: entities[n] for n in mine}, links))
            except AnnotationError as error:
                raise error.at(f"sentences[{index}]") from None
        document = cls(sentences, id=name)
        if document.text != text:
            raise AnnotationError("do not cover the text exactly", where="sentences")
        return document

    def to_json(self) -> str:
        """`to_dict` as one line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @classmethod
    def from_json(cls, line: str) -> Document:
        """The inverse of `to_json`."""
        return cls.from_dict(json.loads(line))

    def _mentions(self) -> Iterator[list[Mention]]:
        """For every sentence, its entities in characters of the document."""
        for index, (offset, sentence) in enumerate(zip(self.offsets, self.sentences, strict=True)):
            yield [_mention(sentence, number, index, offset) for number in range(len(sentence.entities))]


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


def _mention(sentence: Sentence, number: int, index: int, offset: int) -> Mention:
    entity: Entity = sentence.entities[number]
    start, end = sentence.char_span(number) or (0, 0)
    return Mention(
        text=sentence.entity_text(number),
        start_char=offset + start,
        end_char=offset + end,
        type=entity.type,
        score=entity.score,
        sentence=index,
        start=entity.start,
        end=entity.end,
    )


def _read_part(
    part: Json, text: str, name: str, entities: Mapping[int, Json], relations: Iterable[Json]
) -> Sentence:
    """One sentence of a document's record: characters and entity numbers made its own again."""
    start, end = part.get("start_char"), part.get("end_char")
    if not isinstance(start, int) or not isinstance(end, int):
        raise AnnotationError("needs start_char and end_char, whole numbers")
    spans = read_spans(part) or []
    position = {number: index for index, number in enumerate(entities)}
    return Sentence.from_dict(
        {
            "id": part.get("id", ""),
            "document": name or None,
            "tokens": part.get("tokens"),
            "text": text[start:end],
            "token_spans": [(a - start, b - start) for a, b in spans],
            # Their characters follow from their tokens.
            "entities": [
                {key: entity.get(key) for key in ("start", "end", "type", "score")}
                for entity in entities.values()
            ],
            "relations": [
                {**r, "head": position.get(r.get("head", -1)), "tail": position.get(r.get("tail", -1))}
                for r in relations
            ],
        }
    )
