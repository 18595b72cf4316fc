"""What is sent to the service and what it answers, as data; the OpenAPI document is made from this."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, TypeAdapter, model_validator
from pydantic_core import PydanticCustomError

from biaffinity.serve.settings import MOST_GIVEN, MOST_TEXTS

Score = Annotated[float, Field(ge=0, le=1)]
#: Names of alternatives: they tell pydantic which one was meant, and no field is called so.
ALTERNATIVES = frozenset({"(string)", "(object)", "(number)", "(one)", "(many)"})


#: Fields of an object, known or not: an error for each of a body full of them would fill the memory.
MOST_FIELDS = 1_000
_TOO_MANY = ("too_many_fields", f"more than {MOST_FIELDS:,} fields")


def _alternative(name: Callable[[Any], str]) -> Discriminator:
    """Which of the alternatives is meant, by its name; none is where there are too many fields."""
    return Discriminator(
        lambda value: None if _has_too_many(value) else name(value),
        custom_error_type=_TOO_MANY[0],
        custom_error_message=_TOO_MANY[1],
    )


def _has_too_many(value: Any) -> bool:
    return isinstance(value, Mapping) and len(value) > MOST_FIELDS


class _Read(BaseModel):
    """What a client sends: no value is bent into another type, no field is overlooked."""

    model_config = ConfigDict(extra="forbid", strict=True)


class GivenEntity(BaseModel):
    """An entity that the client knows, in characters of the text; a type left out is predicted.

    It has 2,000 characters at most. Further fields are not looked at, so that an entity of an answer can
    be given again as it is.
    """

    model_config = ConfigDict(strict=True)

    start_char: int = Field(ge=0, description="The first character, counted from 0.")
    end_char: int = Field(ge=1, description="The character after the last.")
    type: str | None = Field(None, description="One of the model's entity types.")


class Drawing(_Read):
    """How to draw a document."""

    width: int = Field(960, ge=200, le=4000, description="Width in pixels at which lines wrap.")

    @model_validator(mode="before")
    @classmethod
    def _require_few(cls, value: Any) -> Any:
        if _has_too_many(value):
            raise PydanticCustomError(*_TOO_MANY)
        return value


MinScore = Annotated[
    Annotated[Score, Tag("(number)")] | Annotated[dict[str, Score], Tag("(object)")],
    _alternative(lambda value: "(object)" if isinstance(value, Mapping) else "(number)"),
    Field(
        description="Find what scores at least as much: a number for all, or numbers by `entities`, "
        "`relations` or the name of a type. A low one also finds relations that the model does not decide "
        "for, down to 0.01; left out, its decisions are found."
    ),
]
Entities = Annotated[
    list[GivenEntity],
    Field(
        fail_fast=True,  # an error for each of a body full of them would fill the memory
        max_length=MOST_GIVEN,
        description="Look only for relations, and only between these. They may not overlap.",
    ),
]
Id = Annotated[
    Annotated[str, Field(max_length=256)] | int, Field(description="Comes back as the document's id.")
]


ModelName = Annotated[
    Annotated[str, Field(max_length=256)],
    Field(description="The model that is to read: a name of `/v1/models`. Left out, it is the first there."),
]


class TextItem(_Read):
    """A text with what belongs to it."""

    text: str
    id: Id | None = None
    entities: Entities | None = None


Text = Annotated[
    Annotated[str, Tag("(string)")] | Annotated[TextItem, Tag("(object)")],
    _alternative(lambda value: "(string)" if isinstance(value, str) else "(object)"),
]


class OneText(TextItem):
    """A request for one text."""

    model: ModelName | None = None
    min_score: MinScore | None = None
    drawing: Drawing | None = None


class ManyTexts(_Read):
    """A request for several texts; all of them are answered or none is."""

    texts: list[Text] = Field(max_length=MOST_TEXTS, fail_fast=True)
    model: ModelName | None = None
    min_score: MinScore | None = None
    drawing: Drawing | None = None


def _number(value: Any) -> str:
    return "(many)" if isinstance(value, Mapping) and "texts" in value else "(one)"


ExtractRequest = Annotated[
    Annotated[OneText, Tag("(one)")] | Annotated[ManyTexts, Tag("(many)")], _alternative(_number)
]
read_request: TypeAdapter[OneText | ManyTexts] = TypeAdapter(ExtractRequest)

StreamLine = Annotated[
    Annotated[str, Tag("(string)")] | Annotated[OneText, Tag("(object)")],
    _alternative(lambda value: "(string)" if isinstance(value, str) else "(object)"),
]
read_stream_line: TypeAdapter[str | OneText] = TypeAdapter(StreamLine)


class MentionRecord(BaseModel):
    """An entity that was found: `text == document.text[start_char:end_char]`."""

    text: str
    type: str
    start_char: int
    end_char: int
    sentence: int = Field(description="Index of its sentence.")
    start: int = Field(description="Its first token there.")
    end: int = Field(description="The token after its last.")
    score: float | None = Field(None, description="Absent where the entity was given with its type.")


class RelationRecord(BaseModel):
    """A relation that was found, from `head` to `tail`: indexes into the document's entities."""

    type: str
    head: int
    tail: int
    score: float


class SentenceRecord(BaseModel):
    """A sentence: its characters in the text, its tokens and theirs."""

    id: str
    start_char: int
    end_char: int
    tokens: list[str]
    token_spans: list[tuple[int, int]]


class DocumentRecord(BaseModel):
    """A text with what was found in it; all characters count from its start."""

    id: str
    text: str
    entities: list[MentionRecord]
    relations: list[RelationRecord]
    sentences: list[SentenceRecord]
    svg: str | None = Field(None, description="Present where a drawing was asked for.")
    model: str | None = Field(None, description="In a line of a stream: the model that read it.")


class ExtractAnswer(BaseModel):
    """The documents, in the order of the texts."""

    documents: list[DocumentRecord]
    model: str = Field(description="The model that read them.")


class Problem(BaseModel):
    """What is wrong, where, and what to do."""

    code: str = Field(description="A word for programs.")
    message: str = Field(description="A sentence for people.")
    where: str | None = Field(None, description="The field, such as `texts[2].entities[0].end_char`.")
    remedy: str | None = Field(None, description="What to do about it.")


class ErrorAnswer(BaseModel):
    """The one shape of every error."""

    error: Problem


class StreamError(BaseModel):
    """What stands in a stream in the place of a document that could not be made."""

    line: int = Field(description="The line of the input, counted from 1.")
    id: str | None = None
    error: Problem


class ModelAnswer(BaseModel):
    """The model that reads where none is named, and the service's bounds."""

    name: str
    version: str = Field(description="Of Biaffinity.")
    entity_types: list[str]
    relation_types: list[str]
    examples: dict[str, str] = Field(description="Texts to try it on, by name, where it comes with some.")
    facts: bool = Field(description="Whether a store answers questions, at `/v1/facts`.")
    max_chars: int = Field(description="Characters of a request's texts together.")
    max_texts: int = Field(description="Texts of one request.")
    max_entities: int = Field(description="Entities of one sentence, given or found.")
    max_relations: int = Field(description="Relations of one text.")
    max_arcs: int = Field(description="Relations of one text that is drawn.")


class TypeRecord(BaseModel):
    """A type, as far as somebody has described it."""

    meaning: str | None = Field(None, description="A relation's sentence has its head first, its tail last.")
    id: str | None = Field(None, description="Its id in Wikidata, such as `P19`.")


class ServedModelRecord(BaseModel):
    """A model that can be named in a request."""

    name: str
    default: bool = Field(description="Whether it reads where none is named.")
    summary: str = Field(description="What it is for, in a line.")
    entity_types: dict[str, TypeRecord]
    relation_types: dict[str, TypeRecord]
    examples: dict[str, str] = Field(description="Texts to try it on, by name, where it comes with some.")


class ModelsAnswer(BaseModel):
    """The models of the service; the first reads where none is named."""

    models: list[ServedModelRecord]


class HealthAnswer(BaseModel):
    """Whether the service is up."""

    status: str
