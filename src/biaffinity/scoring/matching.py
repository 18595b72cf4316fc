"""What counts as correct, one function per metric.

A metric looks at one sentence, its gold and its predicted annotation, and gives three lists of
types: of the gold items, of the predicted ones, and of those that are correct. All metrics but
one describe each item by a key and ask which keys both sides have; a key is counted once however
many items share it. The one other is entity classification, which judges gold entities token by
token. Where gold is partly annotated, a metric looks at what was judged and at nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from biaffinity.annotation import Sentence
from biaffinity.scoring.judged import judged_entities, judged_relations

Cell = tuple[str, ...]
Found = tuple[list[str], list[str], list[str]]
Metric = Callable[[Sentence, Sentence], Found]
Key = tuple[Any, ...]


def strict_entities(sentence: Sentence) -> set[Key]:
    """An entity is its boundaries and its type."""
    return {(e.start, e.end, e.type) for e in sentence.entities}


def entity_boundaries(sentence: Sentence) -> set[Key]:
    """An entity is its boundaries; two types on one span are one item, of no type."""
    return {(e.start, e.end, "") for e in sentence.entities}


def strict_relations(sentence: Sentence) -> set[Key]:
    """A relation is its type, its direction, and the boundaries and types of both arguments."""
    keys = set()
    for r in sentence.relations:
        head, tail = sentence.entities[r.head], sentence.entities[r.tail]
        keys.add((head.start, head.end, head.type, tail.start, tail.end, tail.type, r.type))
    return keys


def relation_boundaries(sentence: Sentence) -> set[Key]:
    """A relation is its type, its direction, and the boundaries of both arguments."""
    keys = set()
    for r in sentence.relations:
        head, tail = sentence.entities[r.head], sentence.entities[r.tail]
        keys.add((head.start, head.end, tail.start, tail.end, r.type))
    return keys


def relation_last_tokens(sentence: Sentence) -> set[Key]:
    """A relation is its type, its direction, and the last tokens of both arguments.

    This is how the program that the paper's authors released compares relations in setup 2.
    """
    keys = set()
    for r in sentence.relations:
        keys.add((sentence.entities[r.head].end, sentence.entities[r.tail].end, r.type))
    return keys


def shared_keys(keys: Callable[[Sentence], set[Key]]) -> Metric:
    """The metric that calls an item correct if the other side has its key too; a key ends in its type.

    >>> from biaffinity.annotation import Entity
    >>> gold = Sentence(["Ada", "Ville"], [Entity(0, 1, "Peop"), Entity(1, 2, "Loc")])
    >>> shared_keys(strict_entities)(gold, gold.annotated([Entity(0, 1, "Peop"), Entity(1, 2, "Org")]))[2]
    ['Peop']
    """

    def metric(gold: Sentence, predicted: Sentence) -> Found:
        wanted, given = keys(gold), keys(predicted)
        return [k[-1] for k in wanted], [k[-1] for k in given], [k[-1] for k in wanted & given]

    return metric


def classified_entities(gold: Sentence, predicted: Sentence) -> Found:
    """Entity classification (EC): does the type of at least one token of a gold entity fit?

    A predicted entity gives its type to its tokens. Each gold entity then gets one verdict: its
    own type if any of its tokens has it (correct); otherwise the type of its first typed token
    (a miss for the gold type, a false alarm for that one); otherwise none (a miss). A predicted
    entity that touches no gold entity is a false alarm of its type.

    EC is meant for given boundaries, where every prediction lies inside a gold entity. There it
    differs from the released program in one case. When the tokens of one entity have different
    types and one of them is right, that program counts a correct item of the first token's type
    for precision and of the gold type for recall; here it is of the gold type in both.

    >>> from biaffinity.annotation import Entity
    >>> gold = Sentence(["New", "Ada", "Ville"], [Entity(0, 3, "Loc")])
    >>> classified_entities(gold, gold.annotated([Entity(0, 1, "Org"), Entity(1, 3, "Loc")]))
    (['Loc'], ['Loc'], ['Loc'])
    >>> classified_entities(gold, gold.annotated([Entity(0, 1, "Org"), Entity(1, 3, "Peop")]))
    (['Loc'], ['Org'], [])
    """
    claims = sorted((e.start, e.end, e.type) for e in predicted.entities)
    strays = dict.fromkeys(claims)
    verdicts, correct = [], []
    for entity in gold.entities:
        # In this order the first claim that touches an entity covers its first typed token.
        touching = [c for c in claims if c[0] < entity.end and entity.start < c[1]]
        types = [type_ for _, _, type_ in touching]
        if entity.type in types:
            verdicts.append(entity.type)
            correct.append(entity.type)
        elif types:
            verdicts.append(types[0])
        for claim in touching:
            strays.pop(claim, None)
    verdicts += [type_ for _, _, type_ in strays]
    return [e.type for e in gold.entities], verdicts, correct


def of_judged(part: Callable[[Sentence, Sentence], Sentence], metric: Metric) -> Metric:
    """A metric on the part of a prediction that was judged."""
    return lambda gold, predicted: metric(gold, part(gold, predicted))


NER: Cell = ("ner",)
NER_BOUNDARIES: Cell = ("ner", "boundaries")
EC: Cell = ("ec",)
RE_STRICT: Cell = ("re", "strict")
RE_BOUNDARIES: Cell = ("re", "boundaries")
RC_RELEASED: Cell = ("paper", "rc_released")

METRICS: Mapping[Cell, Metric] = {
    NER: of_judged(judged_entities, shared_keys(strict_entities)),
    NER_BOUNDARIES: of_judged(judged_entities, shared_keys(entity_boundaries)),
    EC: of_judged(judged_entities, classified_entities),
    RE_STRICT: of_judged(judged_relations, shared_keys(strict_relations)),
    RE_BOUNDARIES: of_judged(judged_relations, shared_keys(relation_boundaries)),
    RC_RELEASED: of_judged(judged_relations, shared_keys(relation_last_tokens)),
}
