"""What a store of facts answers: plain records, the same in Python, on the command line and over HTTP."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


class Answer:
    """What every answer can do."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON has it."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]


@dataclass(frozen=True, slots=True)
class Entity(Answer):
    """Somebody or something that texts speak of, under one name or several."""

    #: Stays what it is; that of an entity which was merged into another finds the other.
    id: int
    #: The name that it is shown by: that of its names which is mentioned most.
    name: str
    type: str
    mentions: int
    documents: int
    #: How many facts it is the head or the tail of.
    facts: int


@dataclass(frozen=True, slots=True)
class Found(Answer):
    """An entity that a search found, and the name that it was found by."""

    entity: Entity
    name: str
    #: How alike the name and what was looked for are, from 0 to 1.
    similarity: float


@dataclass(frozen=True, slots=True)
class Span(Answer):
    """Characters of a sentence, from 0, the end exclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Evidence(Answer):
    """A sentence that states a fact; head and tail are where it names the two entities."""

    #: The key of the relation mention in the store.
    id: int
    #: The document's name, and when it was extracted (ISO 8601).
    document: str
    time: str
    sentence: str
    #: Where the sentence starts in the document's text.
    start: int
    head: Span
    tail: Span
    #: None where the extraction gave none.
    score: float | None


@dataclass(frozen=True, slots=True)
class Fact(Answer):
    """An entity, a relation and an entity, with all that speaks for it."""

    id: int
    head: Entity
    relation: str
    tail: Entity
    #: How often it is stated, and in how many documents.
    mentions: int
    documents: int
    #: The best score of a mention; None where no mention has one.
    best: float | None
    #: 1 minus the product of (1 - best score of a document), over the documents: noisy-or. It is what answers
    #: are ordered by and what ``min_score`` asks of; None where no mention has a score.
    score: float | None
    #: Names and times (ISO 8601) of the documents that stated it first and last, by the time of extraction.
    first_document: str
    first_time: str
    last_document: str
    last_time: str
    #: The best of the sentences that say so: as many as were asked for.
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Group(Answer):
    """Facts of an entity of one relation, in one direction; the best of them, and how many there are."""

    relation: str
    #: Whether the entity is the ``head`` or the ``tail`` of these facts.
    role: str
    #: All that pass the filters, of which ``facts`` are those that were asked for.
    total: int
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class About(Answer):
    """An entity, its names, and its facts grouped by relation."""

    entity: Entity
    #: Those that mean it everywhere, then short names and acronyms, which do in some documents.
    names: tuple[str, ...]
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Path(Answer):
    """A shortest way from one entity to another over facts, whichever way each of them points."""

    start: Entity
    end: Entity
    #: One after the other; none where there is no way, or where both are the same.
    facts: tuple[Fact, ...]
    found: bool
    #: Whether all was looked at. If not, hubs were left out, and there may be a way where none was found.
    complete: bool


@dataclass(frozen=True, slots=True)
class Counted(Answer):
    """A type of entities or a relation, and how many there are of it."""

    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Summary(Answer):
    """What a store holds."""

    documents: int
    entities: int
    facts: int
    #: Documents that were added, replaced or removed since the last update.
    waiting: int
    types: tuple[Counted, ...]
    relations: tuple[Counted, ...]


@dataclass(frozen=True, slots=True)
class Top(Answer):
    """The entities with the most documents, and the facts with the most."""

    entities: tuple[Entity, ...]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Reason(Answer):
    """Why two names are one entity, or are not though a rule says so."""

    #: One of "acronym", "short name", "alias", "similar", "merged" (by a person), "split" (by a person).
    rule: str
    name: str
    other: str
    #: Whether it holds the two together; False: what kept them apart.
    together: bool
    #: How alike they are, for the rule "similar".
    similarity: float | None = None
    #: For rules that hold within a document: how many there are, and one of them.
    documents: int = 0
    document: str | None = None


@dataclass(frozen=True, slots=True)
class Name(Answer):
    """A name of an entity: what differs in case, accents, articles, titles or legal form only is one name."""

    id: int
    #: As it was first written.
    name: str
    #: What is compared.
    normal: str
    mentions: int
    #: Some of the ways it is written, most frequent first.
    written: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Why(Answer):
    """What made an entity of its names."""

    entity: Entity
    names: tuple[Name, ...]
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Mentioned(Answer):
    """A mention in a document, in characters of its text, and the entity that it is of."""

    start: int
    end: int
    entity: int
    type: str


@dataclass(frozen=True, slots=True)
class Text(Answer):
    """A document as it was read."""

    name: str
    time: str
    model: str
    text: str
    mentions: tuple[Mentioned, ...]


@dataclass(frozen=True, slots=True)
class Updated(Answer):
    """What an update did."""

    #: Documents that were read: new ones, replaced ones, and those that are gone.
    documents: int
    mentions: int
