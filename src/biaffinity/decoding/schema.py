"""The types that a model knows: of entities, of relations, and which entities may be related."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from biaffinity.annotation import Sentence
from biaffinity.decoding.arrays import Bools
from biaffinity.errors import DataError

#: The relation class "none of them"; class 1 + i is ``relation_types[i]``.
NO_RELATION = 0


@dataclass(frozen=True, slots=True)
class Schema:
    """Names in the order of a model's numbers."""

    entity_types: Sequence[str]
    relation_types: Sequence[str]
    #: (head type, tail type) pairs that carry a relation somewhere in the training data.
    pairs: Sequence[tuple[str, str]]

    @property
    def classes(self) -> int:
        """The number of relation classes, that of no relation included."""
        return 1 + len(self.relation_types)

    def related(self, *, all_pairs: bool = False) -> Bools:
        """Which types of head and tail may be related, [types, types]."""
        count, place = len(self.entity_types), {name: i for i, name in enumerate(self.entity_types)}
        related: Bools = np.full((count, count), all_pairs)
        for head, tail in self.pairs:
            related[place[head], place[tail]] = True
        return related

    @classmethod
    def build(cls, sentences: Iterable[Sentence]) -> Schema:
        """The types of some annotated sentences."""
        entity_types: set[str] = set()
        relation_types: set[str] = set()
        pairs: set[tuple[str, str]] = set()
        for sentence in sentences:
            entity_types.update(entity.type for entity in sentence.entities)
            for relation in sentence.relations:
                relation_types.add(relation.type)
                head, tail = sentence.entities[relation.head], sentence.entities[relation.tail]
                pairs.add((head.type, tail.type))
        return cls(sorted(entity_types), sorted(relation_types), sorted(pairs))

    def to_dict(self) -> dict[str, Any]:
        """A JSON object."""
        return {
            "entity_types": list(self.entity_types),
            "relation_types": list(self.relation_types),
            "pairs": [list(pair) for pair in self.pairs],
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Schema:
        """The inverse of `to_dict`; anything that cannot name a model's types is an error that names it."""
        wanted = {part.name for part in fields(cls)}
        for key in sorted(record.keys() ^ wanted):
            raise DataError(f"{key} is {'missing' if key in wanted else 'unknown'}", where="schema")
        types, pairs = record["entity_types"], record["pairs"]
        for key in ("entity_types", "relation_types"):
            names = record[key]
            if not isinstance(names, list) or not all(type(name) is str for name in names):
                raise DataError("must be a list of strings", where=f"schema.{key}")
            if len(set(names)) < len(names):
                raise DataError("names a type twice", where=f"schema.{key}")
        if not isinstance(pairs, list) or not all(
            isinstance(pair, list) and len(pair) == 2 and pair[0] in types and pair[1] in types
            for pair in pairs
        ):
            raise DataError("must be a list of pairs of entity_types", where="schema.pairs")
        return cls(types, record["relation_types"], [(head, tail) for head, tail in pairs])
