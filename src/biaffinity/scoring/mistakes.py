"""What went wrong, item by item: every entity and relation of gold and prediction gets one verdict.

Items are paired one to one, the best pairs first; what is left over is missing or spurious.

| entities | a pair that has |
|---|---|
| correct | the same boundaries and type |
| wrong type | the same boundaries |
| wrong boundary | the same type, and shares a token |
| wrong boundary and type | a token in common and nothing else |

| relations | a pair that has |
|---|---|
| correct | the same type, and arguments that are correct |
| wrong argument | the same type, and paired arguments of which one has a wrong boundary or type |
| wrong type | paired arguments |
| wrong direction | the same type, and paired arguments the wrong way round |
| wrong direction and type | paired arguments the wrong way round |
| other argument | the same type and one paired argument; the other is another entity |

Arguments are paired where the entities are. The correct ones are those that the score sheet counts as
``ner`` and ``re.strict``. What is spurious where nobody judged gets no verdict. Swapping gold and prediction
swaps missing and spurious and changes nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.scoring.judged import is_judged_entity, is_judged_relation

Types = tuple[str | None, str | None]
Rank = tuple[Any, ...]


class Kind(Enum):
    """What became of an item."""

    CORRECT = "correct"
    MISSING = "missing"
    SPURIOUS = "spurious"
    WRONG_TYPE = "wrong type"
    WRONG_BOUNDARY = "wrong boundary"
    WRONG_BOUNDARY_AND_TYPE = "wrong boundary and type"
    WRONG_ARGUMENT = "wrong argument"
    WRONG_DIRECTION = "wrong direction"
    WRONG_DIRECTION_AND_TYPE = "wrong direction and type"
    OTHER_ARGUMENT = "other argument"


#: The kinds an entity can be of; pairs are made in this order.
ENTITY_KINDS = (
    Kind.CORRECT,
    Kind.WRONG_TYPE,
    Kind.WRONG_BOUNDARY,
    Kind.WRONG_BOUNDARY_AND_TYPE,
    Kind.MISSING,
    Kind.SPURIOUS,
)
#: The kinds a relation can be of; pairs are made in this order.
RELATION_KINDS = (
    Kind.CORRECT,
    Kind.WRONG_ARGUMENT,
    Kind.WRONG_TYPE,
    Kind.WRONG_DIRECTION,
    Kind.WRONG_DIRECTION_AND_TYPE,
    Kind.OTHER_ARGUMENT,
    Kind.MISSING,
    Kind.SPURIOUS,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A gold item and the predicted one it was paired with, by index; None where there is no such item.

    ``types`` are theirs, gold first.
    """

    kind: Kind
    gold: int | None
    predicted: int | None
    types: Types


@dataclass(frozen=True, slots=True)
class Verdicts:
    """All verdicts on one sentence: in gold's order, and after it what is spurious."""

    entities: list[Verdict]
    relations: list[Verdict]

    @property
    def correct(self) -> bool:
        """Whether there is no mistake in the sentence."""
        return all(verdict.kind is Kind.CORRECT for verdict in (*self.entities, *self.relations))


def judge(gold: Sentence, predicted: Sentence) -> Verdicts:
    """The verdicts on a prediction of one sentence.

    >>> gold = Sentence(["Port", "Vane"], [Entity(0, 2, "Loc")])
    >>> judge(gold, gold.annotated([Entity(0, 2, "Org")])).entities
    [Verdict(kind=<Kind.WRONG_TYPE: 'wrong type'>, gold=0, predicted=0, types=('Loc', 'Org'))]
    """
    entities = _verdicts(gold.entities, predicted.entities, _entity_pairs(gold.entities, predicted.entities))
    partners = {v.gold: v for v in entities if v.gold is not None and v.predicted is not None}
    relations = _verdicts(gold.relations, predicted.relations, _relation_pairs(gold, predicted, partners))
    return Verdicts(
        [
            v
            for v in entities
            if v.gold is not None
            or v.predicted is None
            or is_judged_entity(gold, predicted.entities[v.predicted])
        ],
        [
            v
            for v in relations
            if v.gold is not None
            or v.predicted is None
            or is_judged_relation(gold, predicted, predicted.relations[v.predicted])
        ],
    )


def confusion(verdicts: Iterable[Verdict]) -> Counter[Types]:
    """How often each gold type met each predicted one; None stands for no item.

    A row adds up to the gold items of its type and a column to the predicted ones. On the diagonal
    stands what has the right type, even where something else about it is wrong.
    """
    return Counter(verdict.types for verdict in verdicts)


Pair = tuple[Rank, Kind, int, int]


def _verdicts(
    gold: Sequence[Entity | Relation],
    predicted: Sequence[Entity | Relation],
    pairs: Iterable[Pair],
) -> list[Verdict]:
    """One verdict per item: the pairs of lowest rank that fit together, then the items left alone."""
    chosen: dict[int, tuple[Kind, int]] = {}
    taken: set[int] = set()
    for _, kind, wanted, given in sorted(pairs, key=lambda pair: pair[0]):
        if wanted not in chosen and given not in taken:
            chosen[wanted] = kind, given
            taken.add(given)
    verdicts = []
    for index, item in enumerate(gold):
        if index in chosen:
            kind, given = chosen[index]
            verdicts.append(Verdict(kind, index, given, (item.type, predicted[given].type)))
        else:
            verdicts.append(Verdict(Kind.MISSING, index, None, (item.type, None)))
    for index, item in enumerate(predicted):
        if index not in taken:
            verdicts.append(Verdict(Kind.SPURIOUS, None, index, (None, item.type)))
    return verdicts


def _entity_pairs(gold: Sequence[Entity], predicted: Sequence[Entity]) -> Iterator[Pair]:
    """Entities that share a token: by kind, then the more they share and the less they do not."""
    for i, wanted in enumerate(gold):
        for j, given in enumerate(predicted):
            shared = min(wanted.end, given.end) - max(wanted.start, given.start)
            if shared <= 0:
                continue
            same_type = wanted.type == given.type
            if (wanted.start, wanted.end) == (given.start, given.end):
                kind = Kind.CORRECT if same_type else Kind.WRONG_TYPE
            else:
                kind = Kind.WRONG_BOUNDARY if same_type else Kind.WRONG_BOUNDARY_AND_TYPE
            length = wanted.end - wanted.start + given.end - given.start
            yield (ENTITY_KINDS.index(kind), -shared, length, *_tie(_key(wanted), _key(given))), kind, i, j


def _relation_pairs(gold: Sentence, predicted: Sentence, partners: Mapping[int, Verdict]) -> Iterator[Pair]:
    """Relations that say nearly the same: by kind, then the more of their shared arguments are correct."""
    for i, wanted in enumerate(gold.relations):
        ends = partners.get(wanted.head), partners.get(wanted.tail)
        head, tail = (end and end.predicted for end in ends)
        for j, given in enumerate(predicted.relations):
            same_type = wanted.type == given.type
            arguments = {given.head, given.tail}
            if (given.head, given.tail) == (tail, head):
                kind = Kind.WRONG_DIRECTION if same_type else Kind.WRONG_DIRECTION_AND_TYPE
            elif arguments == {head, tail}:
                kind = Kind.WRONG_ARGUMENT if same_type else Kind.WRONG_TYPE
            elif same_type and (given.head == head or given.tail == tail):
                kind = Kind.OTHER_ARGUMENT
                arguments = {given.head if given.head == head else given.tail}
            else:
                continue
            exact = sum(e is not None and e.kind is Kind.CORRECT and e.predicted in arguments for e in ends)
            if kind is Kind.WRONG_ARGUMENT and exact == 2:
                kind = Kind.CORRECT
            tie = _tie(_relation_key(gold, wanted), _relation_key(predicted, given))
            yield (RELATION_KINDS.index(kind), -exact, *tie), kind, i, j


def _tie(key: Rank, other: Rank) -> Rank:
    """What orders pairs that are alike otherwise, the same whichever of the two is gold.

    No two pairs have the same: items are distinct on either side, and an item that stands on both is
    correct before any other pair is looked at.
    """
    return min(key, other), max(key, other)


def _key(entity: Entity) -> Rank:
    return entity.start, entity.end, entity.type


def _relation_key(sentence: Sentence, relation: Relation) -> Rank:
    return _key(sentence.entities[relation.head]), _key(sentence.entities[relation.tail]), relation.type
