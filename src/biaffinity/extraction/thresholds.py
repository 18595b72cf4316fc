"""The least score that an entity or relation must have: one for all, for either kind, or by type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from biaffinity.annotation import Sentence
from biaffinity.errors import UsageError

#: A number for all; or a mapping with the keys ``"entities"``, ``"relations"`` and names of types.
MinScore = float | Mapping[str, float]
KINDS = ("entities", "relations")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The least score of every entity type and of every relation type."""

    entities: Mapping[str, float]
    relations: Mapping[str, float]
    #: Whether nothing can score less.
    keep_all: bool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "keep_all", not any((*self.entities.values(), *self.relations.values())))

    @classmethod
    def read(
        cls, min_score: MinScore, entity_types: Sequence[str], relation_types: Sequence[str]
    ) -> Thresholds:
        """What the user asked for; a type's own number comes before that of its kind.

        >>> Thresholds.read({"relations": 0.5, "Kill": 0.9}, ["Peop"], ["Kill", "Live_In"])
        Thresholds(entities={'Peop': 0.0}, relations={'Kill': 0.9, 'Live_In': 0.5})
        """
        if not isinstance(min_score, Mapping):
            min_score = dict.fromkeys(KINDS, min_score)
        known = [*KINDS, *entity_types, *relation_types]
        for key, value in min_score.items():
            if key not in known:
                raise UsageError(
                    f"min_score names {key!r:.40}, which the model does not know",
                    remedy=f"it knows {', '.join(dict.fromkeys(known))}",
                )
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                raise UsageError(f"min_score must be a number from 0 to 1, not {value!r:.40}")
        return cls(
            *(
                {name: min_score.get(name, min_score.get(kind, 0.0)) for name in types}
                for kind, types in zip(KINDS, (entity_types, relation_types), strict=True)
            )
        )

    def for_relations(self) -> Thresholds:
        """The same, but every entity stays: they are the user's.

        >>> Thresholds({"Peop": 0.5}, {"Kill": 0.9}).for_relations()
        Thresholds(entities={'Peop': 0.0}, relations={'Kill': 0.9})
        """
        return replace(self, entities=dict.fromkeys(self.entities, 0.0))

    def kept(self, sentence: Sentence) -> Sentence:
        """The sentence without what scores less; an entity takes its relations with it.

        What has no score was given by the user and stays.
        """
        if self.keep_all:
            return sentence
        place: dict[int, int] = {}
        for index, entity in enumerate(sentence.entities):
            if entity.score is None or entity.score >= self.entities[entity.type]:
                place[index] = len(place)
        relations = [
            replace(relation, head=place[relation.head], tail=place[relation.tail])
            for relation in sentence.relations
            if relation.head in place
            and relation.tail in place
            and (relation.score is None or relation.score >= self.relations[relation.type])
        ]
        if len(place) == len(sentence.entities) and len(relations) == len(sentence.relations):
            return sentence
        return sentence.annotated([sentence.entities[index] for index in place], relations)
