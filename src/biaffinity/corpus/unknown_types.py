"""Types that stand in data and that a model does not know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from biaffinity.annotation import Sentence

_NAMED = 8


def unknown_types(
    sentences: Iterable[Sentence], entity_types: Collection[str], relation_types: Collection[str]
) -> Iterator[str]:
    """A line on the entities, and one on the relations, that a model of these types can never find.

    >>> from biaffinity.annotation import Entity
    >>> match = Sentence(["Rovers", "won"], [Entity(0, 1, "Club")])
    >>> print(*unknown_types([match], ["Loc", "Org"], []))
    the model does not know the entity type Club, so it misses 1 of the data's 1 entities; it knows Loc, Org
    """
    entities: Counter[str] = Counter()
    relations: Counter[str] = Counter()
    for sentence in sentences:
        entities.update(entity.type for entity in sentence.entities)
        relations.update(relation.type for relation in sentence.relations)
    yield from _line("entity", "entities", entities, entity_types)
    yield from _line("relation", "relations", relations, relation_types)


def _line(item: str, items: str, counts: Counter[str], known: Collection[str]) -> Iterator[str]:
    unknown = [name for name, _ in counts.most_common() if name not in known]
    if unknown:
        missed = sum(counts[name] for name in unknown)
        yield (
            f"the model does not know the {item} type{'s' * (len(unknown) > 1)} {_names(unknown)}, "
            f"so it misses {missed:,} of the data's {counts.total():,} {items}; "
            f"it knows {_names(sorted(known)) or 'none'}"
        )


def _names(names: list[str]) -> str:
    further = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {further:,} more" if further > 0 else "")
