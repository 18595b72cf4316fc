"""The user's own entities: read, checked, and laid over a text so that each is a run of whole tokens."""

from __future__ import annotations

import operator
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from biaffinity.annotation import Document, Entity, Sentence
from biaffinity.decoding.arrays import Bools, Floats
from biaffinity.decoding.decode import Check
from biaffinity.decoding.labels import Labels
from biaffinity.decoding.prediction import Predictor
from biaffinity.errors import UsageError
from biaffinity.extraction.pieces import numbered
from biaffinity.text import closing_period

#: The type of an entity whose type is to be predicted.
ANY = "*"
#: What becomes of the entities that a sentence has: the model finds its own instead; or others around
#: them; or none, and only the relations between them.
Entities = Literal["replace", "keep", "given"]


class CharacterSpan(Protocol):
    """Anything with a character span, as a `biaffinity.EntityMention`; its ``type`` is used if it has one."""

    @property
    def start_char(self) -> int:
        """The first character."""

    @property
    def end_char(self) -> int:
        """The character after the last."""


GivenEntity = tuple[int, int] | tuple[int, int, str | None] | Mapping[str, Any] | CharacterSpan


class Given(NamedTuple):
    """One of the user's entities: its characters in the text, and its type or `ANY`."""

    start: int
    end: int
    type: str

    def __str__(self) -> str:
        return f"{self.start}..{self.end}"


def read_given(entities: Iterable[GivenEntity], text: str, types: Sequence[str]) -> list[Given]:
    """The user's entities in text order; one that cannot be is an error that names it."""
    if isinstance(entities, str | bytes | Mapping) or not isinstance(entities, Iterable):
        raise UsageError(f"entities must be a list of spans, not {type(entities).__name__}")
    given = sorted(_read(entity, text, types, f"entities[{index}]") for index, entity in enumerate(entities))
    for one, other in pairwise(given):
        if other.start < one.end:
            raise UsageError(
                f"entities {one} {text[one.start : one.end]!r:.40} and "
                f"{other} {text[other.start : other.end]!r:.40} overlap",
                remedy="leave one of them out",
            )
    return given


def _read(entity: object, text: str, types: Sequence[str], where: str) -> Given:
    start, end, name = _fields(entity, where)
    try:
        first, stop = operator.index(start), operator.index(end)
    except TypeError:
        raise UsageError(
            f"start {start!r:.40} and end {end!r:.40} must be whole numbers", where=where
        ) from None
    if not 0 <= first < stop <= len(text):
        raise UsageError(
            f"characters {first}..{stop} are empty, reversed or outside the text of {len(text)} characters",
            where=where,
            remedy="count characters from 0; the end is exclusive",
        )
    if text[first:stop].isspace():
        raise UsageError(f"characters {first}..{stop} are white space only", where=where)
    if name is not None and name not in types:
        raise UsageError(
            f"the model knows no entity type {name!r:.40}",
            where=where,
            remedy=f"it knows {', '.join(types)}; leave the type out to have it predicted",
        )
    return Given(first, stop, ANY if name is None else name)


def _fields(entity: Any, where: str) -> tuple[Any, Any, Any]:
    """Start, end and type (or None) of an entity in any of the forms a user may give it."""
    if isinstance(entity, tuple | list) and len(entity) in (2, 3):
        return entity[0], entity[1], entity[2] if len(entity) == 3 else None
    if isinstance(entity, Mapping):
        return entity.get("start_char"), entity.get("end_char"), entity.get("type")
    if hasattr(entity, "start_char") and hasattr(entity, "end_char"):
        return entity.start_char, entity.end_char, getattr(entity, "type", None)
    raise UsageError(
        f"{entity!r:.40} is not an entity",
        where=where,
        remedy="give (start, end), (start, end, type), or an object with start_char and end_char",
    )


def require_flat(document: Document, types: Sequence[str]) -> Document:
    """The document, if its entities can be given to a model: of known types, and no two overlap."""
    for sentence in document.sentences:
        entities = sorted(sentence.entities, key=lambda entity: entity.start)
        for entity in entities:
            if entity.type not in types:
                raise UsageError(
                    f"the model knows no entity type {entity.type!r:.40}",
                    where=f"sentence {sentence.id}",
                    remedy=f"it knows {', '.join(types)}",
                )
        for one, other in pairwise(entities):
            if one.overlaps(other):
                raise UsageError(
                    f"entities {one.start}..{one.end} and {other.start}..{other.end} overlap",
                    where=f"sentence {sentence.id}",
                    remedy="leave one of them out",
                )
    return document


def lay_over(document: Document, given: Sequence[Given]) -> Document:
    """The document with these entities: tokens cut at their borders, sentences that share one joined.

    An entity keeps its characters exactly: white space at its border goes to its outermost token.
    """
    offsets = document.offsets
    starts = [g.start for g in given]
    sentences: list[Sentence] = []
    place = 0
    while place < len(offsets):
        first = place
        while True:  # take sentences in until no entity reaches over the last one's end
            place += 1
            end = offsets[place] if place < len(offsets) else len(document.text)
            before = bisect_left(starts, end)
            if before == 0 or given[before - 1].end <= end:
                break
        own = given[bisect_left(starts, offsets[first]) : before]
        sentences.append(_with_entities(document.sentences[first:place], offsets[first], own))
    return numbered(sentences, document.id)


def _with_entities(sentences: Sequence[Sentence], offset: int, given: Sequence[Given]) -> Sentence:
    """Neighbouring sentences as one, with entities given in characters of the document."""
    joined = Document(sentences)
    spans = [
        (start + a, start + b)
        for start, sentence in zip(joined.offsets, sentences, strict=True)
        for a, b in sentence.token_spans or ()
    ]
    own = [Given(g.start - offset, g.end - offset, g.type) for g in given]
    spans = _cut_at([border for g in own for border in g[:2]], spans)
    tokens = [joined.text[a:b] for a, b in spans]
    begins, ends = [a for a, _ in spans], [b for _, b in spans]
    entities = [Entity(bisect_right(ends, g.start), bisect_left(begins, g.end), g.type) for g in own]
    for g, e in zip(own, entities, strict=True):
        spans[e.start] = (g.start, spans[e.start][1])
        spans[e.end - 1] = (spans[e.end - 1][0], g.end)
    return replace(sentences[0], tokens=tokens, entities=entities, text=joined.text, token_spans=spans)


def _cut_at(borders: Sequence[int], spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans, each cut at the borders within it; borders are in order."""
    cut = []
    for start, end in spans:
        inner = borders[bisect_right(borders, start) : bisect_left(borders, end)]
        cut += [(a, b) for a, b in pairwise([start, *inner, end]) if a < b]
    return cut


def annotate(
    predictor: Predictor,
    sentences: Sequence[Sentence],
    given: Sequence[Entities],
    floors: Sequence[Floats | None],
    *,
    batch_tokens: int | None = None,
    check: Check | None = None,
) -> list[Sentence]:
    """The sentences annotated, each with what ``given`` says of the entities that it has.

    Given entities stay, their types predicted where they are `ANY`. An entity whose type was given has no
    score; of any other it is the probability of its type, given all the spans and types that the user
    knows. With ``"keep"`` given ones have no score at all: that tells them from those of the model. Where the
    model takes the period that ends a sentence for a part of a name, it reads the sentence again without.
    """
    labels = predictor.description.labels
    read = partial(predictor.annotate, batch_tokens=batch_tokens, check=check)
    masks = [
        None if kind == "replace" else allowed_labels(labels, sentence, others=kind == "keep")
        for sentence, kind in zip(sentences, given, strict=True)
    ]
    found = read(sentences, allowed=masks, floors=floors)
    settled = {i: _settle(sentences[i], found[i]) for i, kind in enumerate(given) if kind != "replace"}
    # A model that was not trained on legal labels only may spell two types within one entity.
    torn = {i for i, known in settled.items() if known.keys() - {(e.start, e.end) for e in found[i].entities}}
    overlong = {i for i, sentence in enumerate(found) if _takes_period(sentence, settled.get(i, {}))}
    again = sorted(torn | overlong)
    repaired = [sentences[i].annotated(settled[i].values()) if i in torn else sentences[i] for i in again]
    tighter = [
        _without_period(labels, sentence, given[i]) for i, sentence in zip(again, repaired, strict=True)
    ]
    second = read(repaired, allowed=tighter, floors=[floors[i] for i in again])
    for i, sentence in zip(again, second, strict=True):
        found[i] = sentence
    for i, known in settled.items():
        entities = [_as_given(entity, known, given[i] == "keep") for entity in found[i].entities]
        found[i] = found[i].annotated(entities, found[i].relations)
    return found


def _takes_period(found: Sentence, known: Mapping[tuple[int, int], Entity]) -> bool:
    """Whether the model takes the period that ends a sentence for a part of a name.

    It may have learnt that from "Calif" ".", two tokens that a corpus has as one name.
    """
    for entity in found.entities[-1:]:
        if found.tokens[entity.end - 1] == "." and (entity.start, entity.end) not in known:
            return closing_period(found.tokens) == entity.end - 1
    return False


def _without_period(labels: Labels, sentence: Sentence, kind: Entities) -> Bools:
    """The labels that tokens may have where the period that ends the sentence is in no other entity than
    a given one, [tokens, labels].
    """
    known = sentence.annotated(()) if kind == "replace" else sentence
    mask = allowed_labels(labels, known, others=kind != "given")
    closing = closing_period(sentence.tokens)
    if closing is not None and mask[closing, 0]:
        mask[closing, 1:] = False
    return mask


def _settle(sentence: Sentence, found: Sentence) -> dict[tuple[int, int], Entity]:
    """The given entities with the types found for them: of one found in parts, the longest part's."""
    entities = {}
    for entity in sentence.entities:
        parts = [part for part in found.entities if part.overlaps(entity)]
        longest = max(parts, key=lambda part: (part.end - part.start, part.score or 0))
        score = longest.score if entity.type == ANY else None
        entities[entity.start, entity.end] = replace(entity, type=longest.type, score=score)
    return entities


def _as_given(entity: Entity, known: Mapping[tuple[int, int], Entity], others: bool) -> Entity:
    given = known.get((entity.start, entity.end), entity)
    return given if given is entity or not others else replace(given, score=None)


def allowed_labels(labels: Labels, sentence: Sentence, *, others: bool = False) -> Bools:
    """The labels that spell just the sentence's entities, [tokens, labels]; with ``others``, these and more.

    >>> labels = Labels(("Loc", "Org"), "bilou")
    >>> sentence = Sentence(["Acme", "in", "Oslo"], [Entity(0, 1, ANY), Entity(2, 3, "Loc")])
    >>> [[labels.names[i] for i in row.nonzero()[0]] for row in allowed_labels(labels, sentence)]
    [['U-Loc', 'U-Org'], ['O'], ['U-Loc']]
    """
    mask = np.full((len(sentence), len(labels)), others, dtype=np.bool_)
    mask[:, 0] = True
    for entity in sentence.entities:
        mask[entity.start : entity.end] = False
        for name in labels.types if entity.type == ANY else (entity.type,):
            spelt = labels.encode(entity.end, [replace(entity, type=name)])
            mask[np.arange(entity.start, entity.end), spelt[entity.start :]] = True
    return mask
