"""spaCy's documents as ours and back, and the extensions that show what was found in them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from biaffinity.annotation import Document, Entity, Sentence, outermost
from biaffinity.errors import UsageError
from biaffinity.text import split_sentences

#: Where a document keeps what was found: plain lists, so that they go wherever the document goes.
KEY = "biaffinity"


@dataclass(frozen=True, slots=True)
class SpanRelation:
    """A relation in a spaCy document: typed, directed, with its score."""

    type: str
    head: Span
    tail: Span
    score: float | None


def relations_of(doc: Doc) -> list[SpanRelation]:
    """``doc._.relations``: every relation, in text order of sentences."""
    return [
        SpanRelation(type_, _span(doc, head), _span(doc, tail), score)
        for type_, head, tail, score in doc.user_data.get(KEY, {}).get("relations", ())
    ]


def score_of(span: Span) -> float | None:
    """``span._.entity_score``: the score of an entity that the model found; None for any other span."""
    scores: Sequence[tuple[int, int, float]] = span.doc.user_data.get(KEY, {}).get("scores", ())
    wanted = (span.start_char, span.end_char)
    place = bisect_left(scores, wanted, key=_characters)
    if place < len(scores) and _characters(scores[place]) == wanted:
        return scores[place][2]
    return None


def _characters(entry: Sequence[Any]) -> tuple[int, int]:
    return entry[0], entry[1]


_EXTENSIONS: tuple[tuple[type[Doc] | type[Span], str, Callable[[Any], Any]], ...] = (
    (Doc, "relations", relations_of),
    (Span, "entity_score", score_of),
)


def register_extensions() -> None:
    """Give documents ``._.relations`` and spans ``._.entity_score``, unless another package has them."""
    for owner, name, getter in _EXTENSIONS:
        if not owner.has_extension(name):
            owner.set_extension(name, getter=getter)


def require_extensions() -> None:
    """An error where another package has taken the name of one of our extensions."""
    for owner, name, getter in _EXTENSIONS:
        if owner.get_extension(name)[2] is not getter:
            raise UsageError(
                f"another package has set the extension {owner.__name__}._.{name}",
                remedy=f"take it away first with {owner.__name__}.remove_extension({name!r}), "
                "then call biaffinity.integrations.spacy_documents.register_extensions()",
            )


def to_document(doc: Doc, types: Mapping[Span, str]) -> Document:
    """A spaCy document in our form: its sentences, its tokens but for white space, and some entities.

    ``types`` has those entities with the types they are given as. Sentences are spaCy's own where it
    has set them, otherwise those that we find in the text; one that ends within an entity goes on.
    """
    inside = {place for entity in types for place in range(entity.start + 1, entity.end)}
    edges = [edge for edge in _sentence_starts(doc) if edge not in inside]
    text, begins = doc.text, [token.idx for token in doc]
    words = [index for index, token in enumerate(doc) if token.text.strip()]
    given = sorted((entity.start, entity.end, type_) for entity, type_ in types.items())
    sentences = []
    for number, (first, end) in enumerate(pairwise([*edges, len(doc)])):
        offset = begins[first] if number else 0
        stop = begins[end] if end < len(doc) else len(text)
        own = words[bisect_left(words, first) : bisect_left(words, end)]
        spans = [(begins[index] - offset, begins[index] + len(doc[index]) - offset) for index in own]
        sentences.append(
            Sentence(
                [doc[index].text for index in own],
                [
                    Entity(bisect_left(own, a), bisect_left(own, b), type_)
                    for a, b, type_ in given[bisect_left(given, (first,)) : bisect_left(given, (end,))]
                ],
                id=str(number),
                text=text[offset:stop],
                token_spans=spans,
            )
        )
    return Document(sentences)


def from_document(document: Document, vocab: Vocab | None = None) -> Doc:
    """A document of ours in spaCy's form: the inverse of `to_document`, annotation included.

    White space between tokens that is more than one space becomes tokens of its own, as spaCy has it, so
    the text is the same to the character.
    """
    register_extensions()
    text = document.text
    words: list[str] = []
    spaces: list[bool] = []
    starts: list[bool | int | None] = []

    def add_gap(start: int, end: int) -> None:
        if start < end and spaces and text[start] == " ":
            spaces[-1] = True
            start += 1
        if start < end:
            words.append(text[start:end])
            spaces.append(False)
            starts.append(False)

    position = 0
    for offset, sentence in zip(document.offsets, document.sentences, strict=True):
        for number, (start, end) in enumerate(sentence.token_spans or ()):
            add_gap(position, offset + start)
            # White space before the first token of all belongs to its sentence.
            starts.append(number == 0 and position > 0)
            position = offset + end
            words.append(text[offset + start : position])
            spaces.append(False)
    add_gap(position, len(text))
    starts[:1] = [True] * bool(words)
    doc = Doc(Vocab() if vocab is None else vocab, words=words, spaces=spaces, sent_starts=starts)
    spans = [_span(doc, (e.start_char, e.end_char, e.type)) for e in document.entities]
    flat, before = [], 0
    for sentence in document.sentences:
        flat += [spans[before + index] for index in outermost(sentence.entities)]
        before += len(sentence.entities)
    doc.set_ents(flat)
    scores = {span: e.score for span, e in zip(spans, document.entities, strict=True) if e.score is not None}
    place = dict(zip(document.entities, spans, strict=True))
    relations = [SpanRelation(r.type, place[r.head], place[r.tail], r.score) for r in document.relations]
    write(doc, relations, scores, anew=True)
    return doc


def characters_of(entity: Span) -> tuple[int, int]:
    """The characters of an entity without white space around it, as they come back from the model."""
    words = [token for token in entity if token.text.strip()]
    return words[0].idx, words[-1].idx + len(words[-1])


def write(doc: Doc, relations: Iterable[SpanRelation], scores: Mapping[Span, float], *, anew: bool) -> None:
    """Keep relations and entities' scores in a document; unless ``anew``, beside those that it has."""
    kept = {} if anew else doc.user_data.get(KEY, {})
    arrows = [*kept.get("relations", ())]
    arrows += [[r.type, _argument(r.head), _argument(r.tail), r.score] for r in relations]
    distinct = {
        (type_, *head[:2], *tail[:2]): [type_, head, tail, score] for type_, head, tail, score in arrows
    }
    known = {(start, end): score for start, end, score in kept.get("scores", ())}
    known |= {(span.start_char, span.end_char): score for span, score in scores.items()}
    doc.user_data[KEY] = {
        "relations": list(distinct.values()),
        "scores": [[*place, score] for place, score in sorted(known.items())],
    }


def _argument(span: Span) -> list[Any]:
    return [span.start_char, span.end_char, span.label_]


def _sentence_starts(doc: Doc) -> list[int]:
    """The first token of every sentence, in order."""
    if not len(doc):
        return []
    if doc.has_annotation("SENT_START"):
        return [sentence.start for sentence in doc.sents]
    begins = [token.idx for token in doc]
    starts = {bisect_left(begins, start) for start, _ in split_sentences(doc.text)}
    return sorted(starts - {len(doc)} | {0})


def _span(doc: Doc, argument: tuple[int, int, str]) -> Span:
    start, end, label = argument
    # Tokens may have been merged since: then the one around the entity is it.
    span = doc.char_span(start, end, label=label, alignment_mode="expand")
    assert span is not None  # the characters are the document's
    return span
