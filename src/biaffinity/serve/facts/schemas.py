"""What may be asked of a store of facts, as data; a field's name is that of the parameter in Python."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from biaffinity.facts import Entity, Evidence, Fact, Found

_LONGEST = 500  # characters of a name: as many as a document's has
_LARGEST = 2**63 - 1  # of a key in a database


def _key(value: Any) -> Any:
    """An id where it is written as one: in an address all is text.

    >>> _key("12"), _key("Norvik Oil")
    (12, 'Norvik Oil')
    """
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= 18:
        return int(value)
    return value


Id = Annotated[int, Field(ge=0, le=_LARGEST)]
Words = Annotated[str, Field(max_length=_LONGEST)]
EntityKey = Annotated[
    Id | Words, BeforeValidator(_key), Field(description="An entity's id, or a name of it.")
]
Type = Annotated[Words | None, Field(description="The type of the entity, where several have the name.")]
Relation = Annotated[Words | None, Field(description="Facts of this relation alone.")]
MinScore = Annotated[float, Field(ge=0, le=1, description="Facts that score at least as much.")]
Since = Annotated[Words | None, Field(description="Facts last stated since then: `2026-11-16`.")]
Until = Annotated[Words | None, Field(description="Facts first stated until then.")]
Limit = Annotated[int, Field(ge=1, le=100, description="How many, at most.")]
Offset = Annotated[int, Field(ge=0, le=1_000_000, description="How many to pass over.")]
Sentences = Annotated[int, Field(ge=0, le=10, description="How many sentences come with each fact.")]


class _Asked(BaseModel):
    """No field is overlooked."""

    model_config = ConfigDict(extra="forbid")


class SummaryQuestion(_Asked):
    """What the store holds."""


class SearchQuestion(_Asked):
    """Entities by a name, part of one, or one with a typing error; best first."""

    text: Words = Field(description="What to look for.")
    type: Annotated[Words | None, Field(description="Entities of this type alone.")] = None
    limit: Limit = 20
    offset: Offset = 0


class AboutQuestion(_Asked):
    """An entity, its names, and its facts grouped by relation."""

    entity: EntityKey
    type: Type = None
    relation: Relation = None
    min_score: MinScore = 0.0
    since: Since = None
    until: Until = None
    limit: Limit = 20
    sentences: Sentences = 1


class FindQuestion(_Asked):
    """Facts by head, relation and tail, as many of them as are given."""

    head: Annotated[EntityKey | None, Field(description="The entity that a fact begins with.")] = None
    relation: Relation = None
    tail: Annotated[EntityKey | None, Field(description="The entity that a fact ends with.")] = None
    entity: Annotated[EntityKey | None, Field(description="An entity that is either.")] = None
    min_score: MinScore = 0.0
    since: Since = None
    until: Until = None
    limit: Limit = 20
    offset: Offset = 0
    sentences: Sentences = 1


class FactQuestion(_Asked):
    """One fact."""

    fact: Id = Field(description="Its id.")
    sentences: Sentences = 1


class EvidenceQuestion(_Asked):
    """The sentences that state a fact, best first."""

    fact: Id = Field(description="Its id.")
    limit: Limit = 20
    offset: Offset = 0


class PathQuestion(_Asked):
    """A shortest way from one entity to another over facts."""

    start: EntityKey
    end: EntityKey
    longest: Annotated[int, Field(ge=1, le=6, description="Facts on the way, at most.")] = 4
    min_score: MinScore = 0.0
    sentences: Sentences = 1


class TopQuestion(_Asked):
    """The entities and the facts that the most documents speak of."""

    type: Annotated[Words | None, Field(description="Entities of this type alone.")] = None
    relation: Relation = None
    limit: Limit = 10
    sentences: Sentences = 1


class WhyQuestion(_Asked):
    """What made an entity of its names."""

    entity: EntityKey
    type: Type = None


class TextQuestion(_Asked):
    """A document, with the entities that it mentions."""

    document: Words = Field(description="Its name.")


class MergeRequest(_Asked):
    """Two entities of one type that are one."""

    model_config = ConfigDict(strict=True)

    one: Id | Words = Field(description="An entity's id, or a name of it.")
    other: Id | Words = Field(description="That of the other.")
    type: Type = None


class SplitRequest(_Asked):
    """A name that is not of its entity."""

    model_config = ConfigDict(strict=True)

    entity: Id | Words = Field(description="The entity's id, or a name of it.")
    name: Id | Words = Field(description="The name, or its id, as `why` tells it.")
    type: Type = None


class SearchAnswer(BaseModel):
    """Entities, best first."""

    found: list[Found]


class FindAnswer(BaseModel):
    """Facts, best first."""

    facts: list[Fact]


class EvidenceAnswer(BaseModel):
    """Sentences, best first."""

    evidence: list[Evidence]


class MergeAnswer(BaseModel):
    """The entity that the two are now."""

    entity: Entity


class SplitAnswer(BaseModel):
    """What is left of the entity, and the entity of the name that was taken out."""

    entity: Entity
    split: Entity
