"""What of a prediction can be scored: nothing that nobody judged counts for it or against it."""

from __future__ import annotations

from biaffinity.annotation import Entity, Relation, Sentence


def is_judged_entity(gold: Sentence, entity: Entity) -> bool:
    """Whether gold tells if a predicted entity is right: it has a token that somebody judged."""
    if gold.judged is None:
        return True
    unknown = gold.judged.open_tokens(len(gold), [(e.start, e.end) for e in gold.entities])
    return not all(unknown[entity.start : entity.end])


def is_judged_relation(gold: Sentence, predicted: Sentence, relation: Relation) -> bool:
    """Whether gold tells if a predicted relation is right.

    It does where gold has that type between the same spans, and where the type was judged, whatever was
    judged of the entities: all relations of such a type are marked. Not where it is undecided between
    entities that overlap these.
    """
    if gold.judged is None:
        return True
    head, tail = predicted.entities[relation.head], predicted.entities[relation.tail]
    for marked in gold.relations:
        ends = gold.entities[marked.head], gold.entities[marked.tail]
        if marked.type == relation.type and _spans(*ends) == _spans(head, tail):
            return True
    if gold.judged.relations is not None and relation.type not in gold.judged.relations:
        return False
    return not any(
        type_ == relation.type
        and gold.entities[first].overlaps(head)
        and gold.entities[second].overlaps(tail)
        for type_, first, second in gold.judged.undecided
    )


def judged_entities(gold: Sentence, predicted: Sentence) -> Sentence:
    """A prediction with the entities that were judged, and without relations."""
    if gold.judged is None:
        return predicted
    return predicted.annotated([e for e in predicted.entities if is_judged_entity(gold, e)])


def judged_relations(gold: Sentence, predicted: Sentence) -> Sentence:
    """A prediction with the relations that were judged, whatever was judged of its entities."""
    if gold.judged is None:
        return predicted
    kept = [r for r in predicted.relations if is_judged_relation(gold, predicted, r)]
    return predicted.annotated(predicted.entities, kept)


def _spans(head: Entity, tail: Entity) -> tuple[int, int, int, int]:
    return head.start, head.end, tail.start, tail.end
