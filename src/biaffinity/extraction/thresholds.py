"""The least score that an entity or relation must have: one for all, for either kind, or by type.

Without one, a relation is found where the model decides for it. With one, just those are found that score as
much, whatever the decision was: a low one buys recall with precision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from biaffinity.annotation import Sentence
from biaffinity.decoding.arrays import Floats
from biaffinity.errors import UsageError

#: A number for all; or a mapping with the keys ``"entities"``, ``"relations"`` and names of types.
MinScore = float | Mapping[str, float]
KINDS = ("entities", "relations")
#: The lowest that can be asked of relations: below it they would be nearly as many as pairs of entities,
#: times types, and none of them worth a look.
FLOOR = 0.01


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The least score of every entity type and of every relation type; None is the model's decision."""

    entities: Mapping[str, float]
    relations: Mapping[str, float | None]
    #: The same for the decoder (see `decide`), [classes]; None where all is decided by the model.
    floors: Floats | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        asked = [np.inf if least is None else max(least, FLOOR) for least in self.relations.values()]
        floors = np.array([np.inf, *asked], dtype=np.float32)  # that of no relation comes first
        object.__setattr__(self, "floors", floors if np.isfinite(floors).any() else None)

    @classmethod
    def read(
        cls, min_score: MinScore, entity_types: Sequence[str], relation_types: Sequence[str]
    ) -> Thresholds:
        """What the user asked for; a type's own number comes before that of its kind.

        >>> Thresholds.read({"relations": 0.5, "Kill": 0.9}, ["Peop"], ["Kill", "Live_In"])
        Thresholds(entities={'Peop': 0.0}, relations={'Kill': 0.9, 'Live_In': 0.5})
        >>> Thresholds.read({"Kill": 0.9}, ["Peop"], ["Kill", "Live_In"])
        Thresholds(entities={'Peop': 0.0}, relations={'Kill': 0.9, 'Live_In': None})
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
            {name: min_score.get(name, min_score.get("entities", 0.0)) for name in entity_types},
            {name: min_score.get(name, min_score.get("relations")) for name in relation_types},
        )

    def for_relations(self) -> Thresholds:
        """The same, but every entity stays: they are the user's.

        >>> Thresholds({"Peop": 0.5}, {"Kill": 0.9}).for_relations()
        Thresholds(entities={'Peop': 0.0}, relations={'Kill': 0.9})
        """
        return replace(self, entities=dict.fromkeys(self.entities, 0.0))

    def kept(self, sentence: Sentence) -> Sentence:
        """The sentence without entities that score less, and without their relations.

        What has no score was given by the user and stays. Relations that score less were never found.
        """
        if not any(self.entities.values()):
            return sentence
        place: dict[int, int] = {}
        for index, entity in enumerate(sentence.entities):
            if entity.score is None or entity.score >= self.entities[entity.type]:
                place[index] = len(place)
        if len(place) == len(sentence.entities):
            return sentence
        relations = [
            replace(relation, head=place[relation.head], tail=place[relation.tail])
            for relation in sentence.relations
            if relation.head in place and relation.tail in place
        ]
        return sentence.annotated([sentence.entities[index] for index in place], relations)
