"""Several models as one: what they see in a sentence, put to the vote.

An entity or relation weighs the mean of its scores over all models, 0 for a model that does not see it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.errors import UsageError


def vote(predictions: Sequence[Sentence], *, entities: float = 0.5, relations: float = 0.5) -> Sentence:
    """One sentence as several models annotate it, all with scores, put together.

    Entities that weigh at least ``entities`` stay, heavier ones first where two overlap; then relations
    between them that weigh at least ``relations``.

    >>> one = Sentence(["Ida", "left", "Solund"], [Entity(0, 1, "Peop", 0.9), Entity(2, 3, "Loc", 0.8)])
    >>> two = Sentence(["Ida", "left", "Solund"], [Entity(0, 1, "Peop", 0.7)])
    >>> vote([one, two]).entities
    (Entity(start=0, end=1, type='Peop', score=0.8),)
    """
    if not predictions or any(sentence.tokens != predictions[0].tokens for sentence in predictions):
        raise UsageError("a vote is held over the same sentence under each of one or more models")
    spans: dict[tuple[int, int, str], float] = defaultdict(float)
    links: dict[tuple[str, tuple[int, int, str], tuple[int, int, str]], float] = defaultdict(float)
    for sentence in predictions:
        keys = [(entity.start, entity.end, entity.type) for entity in sentence.entities]
        for key, entity in zip(keys, sentence.entities, strict=True):
            spans[key] += _score(entity) / len(predictions)
        for relation in sentence.relations:
            link = relation.type, keys[relation.head], keys[relation.tail]
            links[link] += _score(relation) / len(predictions)
    kept = _apart({key: weight for key, weight in spans.items() if weight >= entities})
    place = {key: number for number, key in enumerate(kept)}
    return predictions[0].annotated(
        [Entity(*key, score=spans[key]) for key in kept],
        [
            Relation(type_, place[head], place[tail], weight)
            for (type_, head, tail), weight in sorted(links.items())
            if weight >= relations and head in place and tail in place
        ],
    )


def _score(item: Entity | Relation) -> float:
    if item.score is None:
        raise UsageError("a vote needs scores", remedy="predict with scores")
    return item.score


def _apart(weights: dict[tuple[int, int, str], float]) -> list[tuple[int, int, str]]:
    """Spans that share no token, the heaviest first choice; in the order of the text."""
    kept: list[tuple[int, int, str]] = []
    for key in sorted(weights, key=lambda key: (-weights[key], key)):
        if all(key[1] <= other[0] or other[1] <= key[0] for other in kept):
            kept.append(key)
    return sorted(kept)
