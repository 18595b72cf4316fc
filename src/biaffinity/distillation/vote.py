"""What several teachers agree on: the mean of their scores, 0 from one that did not find it.

Functions of one sentence as each teacher has read it; nothing here knows of files.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from biaffinity.annotation import Entity, Relation, Sentence

K = TypeVar("K")
Span = tuple[int, int]
#: A relation whoever found it: the span of its head, that of its tail, its type.
Link = tuple[Span, Span, str]


def vote(sentence: Sentence, readings: Sequence[Sentence], threshold: float) -> Sentence:
    """The sentence with what its readings agree on: all whose mean score is at least ``threshold``.

    Of entities that overlap the one with the higher score is kept, and of two relations of one pair. A
    relation is kept between entities that are kept, of types that some teacher saw it between.
    """
    entities = vote_on_entities(readings, threshold)
    return sentence.annotated(entities, vote_on_relations(readings, entities, threshold))


def vote_on_entities(readings: Sequence[Sentence], threshold: float) -> list[Entity]:
    """The entities of spans and types that the readings agree on, none overlapping, in text order."""
    means = mean_scores(
        [{(e.start, e.end, e.type): _certainty(e.score) for e in reading.entities} for reading in readings]
    )
    candidates = [Entity(*key, score=score) for key, score in means.items() if score >= threshold]
    kept: list[Entity] = []
    for entity in sorted(candidates, key=lambda e: (-(e.score or 0), e.start, -e.end, e.type)):
        if not any(entity.overlaps(other) for other in kept):
            kept.append(entity)
    return sorted(kept, key=lambda e: e.start)


def vote_on_relations(
    readings: Sequence[Sentence], entities: Sequence[Entity], threshold: float
) -> list[Relation]:
    """The relations between these entities that the readings agree on, at most one for a pair."""
    places = {(entity.start, entity.end): index for index, entity in enumerate(entities)}
    # A vote on types may part a relation from the types it holds between: the student would learn to look
    # for relations where no teacher ever does.
    types: dict[Link, set[tuple[str, str]]] = {}
    scores: list[dict[Link, float]] = []
    for reading in readings:
        scores.append({})
        for relation in reading.relations:
            head, tail = reading.entities[relation.head], reading.entities[relation.tail]
            link = (head.start, head.end), (tail.start, tail.end), relation.type
            scores[-1][link] = _certainty(relation.score)
            types.setdefault(link, set()).add((head.type, tail.type))
    best: dict[tuple[int, int], Relation] = {}
    for link, score in _by_score(mean_scores(scores)):
        head_span, tail_span, type = link
        if score < threshold or not {head_span, tail_span} <= places.keys():
            continue
        pair = places[head_span], places[tail_span]
        if (entities[pair[0]].type, entities[pair[1]].type) in types[link]:
            best.setdefault(pair, Relation(type, *pair, score=score))
    return [best[pair] for pair in sorted(best)]


def mean_scores(found: Sequence[Mapping[K, float]]) -> dict[K, float]:
    """The mean score of each thing over all who looked for it, to six digits, as scores have.

    >>> mean_scores([{"a": 1.0, "b": 0.5}, {"a": 0.5}])
    {'a': 0.75, 'b': 0.25}
    """
    keys = dict.fromkeys(key for own in found for key in own)
    return {key: round(math.fsum(own.get(key, 0.0) for own in found) / len(found), 6) for key in keys}


def _by_score(means: Mapping[Link, float]) -> Iterable[tuple[Link, float]]:
    """The best first; of equals, the one whose type comes first in the alphabet."""
    return sorted(means.items(), key=lambda item: (-item[1], item[0]))


def _certainty(score: float | None) -> float:
    """A score; what has none was put there by a person."""
    return 1.0 if score is None else score
