"""Annotation as formats of raw text keep it: per document, in characters, whatever the tokens are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from hypothesis import strategies as st

from biaffinity.annotation import EntityMention, Sentence, documents
from strategies import corpora

Span = tuple[int, int, str]
# Random words are not all tokens of ours, so this alone may be reported of them.
CUT_ANEW = "tokens not carried over: the text is cut anew when it is read"


class Characters(NamedTuple):
    """One document: its id, its text, its entities, its relations."""

    id: str
    text: str
    entities: list[Span]
    relations: list[tuple[str, Span, Span]]


def in_characters(sentences: Iterable[Sentence]) -> list[Characters]:
    def span(mention: EntityMention) -> Span:
        return mention.start_char, mention.end_char, mention.type

    return [
        Characters(
            d.id,
            d.text,
            [span(mention) for mention in d.entities],
            [(relation.type, span(relation.head), span(relation.tail)) for relation in d.relations],
        )
        for d in documents(sentences)
    ]


@st.composite
def documents_of_sentences(draw: st.DrawFn) -> list[Sentence]:
    """Sentences of which none, some or all neighbours belong to one document, with the ids reading gives."""
    group = draw(st.sampled_from([None, 1, 2, 5]))
    parts = draw(corpora())
    if group is None:
        return parts
    names = [f"d{index // group}" for index in range(len(parts))]
    return [
        replace(s, id=name if names.count(name) == 1 else f"{name}:{index % group}", document=name)
        for index, (s, name) in enumerate(zip(parts, names, strict=True))
    ]
