"""A monstrous sentence cut into pieces, so that no text, however strange, needs unbounded memory.

Most of them are tables and lists without a full stop. No relation is found between two pieces, so
the user is told of the cut.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from biaffinity.annotation import Document, Entity, Relation, Sentence
from biaffinity.errors import BiaffinityWarning

#: Tokens that a network reads at one time; the longest sentence of CoNLL04, ADE and SciERC has 173.
LONGEST = 512


def in_pieces(document: Document, callers: int = 2) -> Document:
    """The document with no sentence longer than `LONGEST`; a warning tells of each that was cut.

    A given entity is never cut: a piece is longer only where one such entity is. The warning is for whoever
    stands so many ``callers`` above this.
    """
    if all(len(sentence) <= LONGEST for sentence in document.sentences):
        return document
    pieces: list[Sentence] = []
    for offset, sentence in zip(document.offsets, document.sentences, strict=True):
        if len(sentence) <= LONGEST:
            pieces.append(sentence)
            continue
        parts = list(_parts(sentence))
        pieces += parts
        name = f"document {document.id}: " if document.id else ""
        warnings.warn(
            f"{name}the sentence at character {offset} has {len(sentence):,} tokens; it is read in "
            f"{len(parts):,} pieces, and no relation is found between two of them",
            BiaffinityWarning,
            stacklevel=1 + callers,
        )
    return numbered(pieces, document.id)


def numbered(sentences: Iterable[Sentence], id: str) -> Document:
    """A document of the sentences, their ids counted anew."""
    prefix = f"{id}:" if id else ""
    return Document(
        [replace(sentence, id=f"{prefix}{number}") for number, sentence in enumerate(sentences)], id=id
    )


def joined(sentence: Sentence, pieces: Iterable[Sentence]) -> Sentence:
    """The sentence under the annotation of the pieces that it was read in."""
    entities: list[Entity] = []
    relations: list[Relation] = []
    start = 0
    for piece in pieces:
        before = len(entities)
        entities += [replace(e, start=start + e.start, end=start + e.end) for e in piece.entities]
        relations += [replace(r, head=before + r.head, tail=before + r.tail) for r in piece.relations]
        start += len(piece)
    return sentence.annotated(entities, relations)


def _parts(sentence: Sentence) -> Iterator[Sentence]:
    """The sentence as pieces whose texts join to its own; white space belongs to the piece before it."""
    text, spans = sentence.text or "", sentence.token_spans or ()
    cuts = [0, *_cuts(sentence), len(sentence)]
    borders = [0, *(spans[cut][0] for cut in cuts[1:-1]), len(text)]
    for (first, end), (start, stop) in zip(pairwise(cuts), pairwise(borders), strict=True):
        yield replace(
            sentence,
            tokens=sentence.tokens[first:end],
            text=text[start:stop],
            token_spans=[(a - start, b - start) for a, b in spans[first:end]],
            entities=[
                replace(e, start=e.start - first, end=e.end - first)
                for e in sentence.entities
                if first <= e.start < end
            ],
        )


def _cuts(sentence: Sentence) -> Iterator[int]:
    """The tokens that begin a new piece, each at the best place in the second half of what fits."""
    covered: dict[int, Entity] = {i: e for e in sentence.entities for i in range(e.start + 1, e.end)}
    start = 0
    while len(sentence) - start > LONGEST:
        furthest = start + LONGEST
        free = [i for i in range(furthest - LONGEST // 2, furthest + 1) if i not in covered]
        if free:
            start = max(free, key=lambda i: (_fitness(sentence, i), i))
        else:  # inside one long entity: before it, or behind it if the piece begins with it
            entity = covered[furthest]
            start = entity.start if entity.start > start else entity.end
        if start < len(sentence):
            yield start


def _fitness(sentence: Sentence, index: int) -> int:
    """How well a sentence is cut before a token: at a line end, after ; or , or at white space."""
    spans = sentence.token_spans or ()
    gap = (sentence.text or "")[spans[index - 1][1] : spans[index][0]]
    if "\n" in gap or "\r" in gap:
        return 4
    return {";": 3, ",": 2}.get(sentence.tokens[index - 1], 1 if gap else 0)
