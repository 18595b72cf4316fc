"""What graphs say of their nodes and edges; what is not known is left out."""

from __future__ import annotations

from typing import Any

from biaffinity.facts.answers import Entity, Fact

#: The attributes of an entity and of a fact, with their types.
ENTITY: dict[str, type] = {"name": str, "type": str, "mentions": int, "documents": int, "facts": int}
FACT: dict[str, type] = {
    "relation": str,
    "score": float,
    "best": float,
    "mentions": int,
    "documents": int,
    "first_document": str,
    "first_time": str,
    "last_document": str,
    "last_time": str,
}
#: The best sentence that states a fact, and the document that it stands in.
EVIDENCE: dict[str, type] = {"sentence": str, "document": str}


def entity_attributes(entity: Entity) -> dict[str, Any]:
    """An entity's attributes."""
    return {name: getattr(entity, name) for name in ENTITY}


def fact_attributes(fact: Fact) -> dict[str, Any]:
    """A fact's, with the best sentence if there is one."""
    found = {name: getattr(fact, name) for name in FACT}
    if fact.evidence:
        found |= {name: getattr(fact.evidence[0], name) for name in EVIDENCE}
    return {name: value for name, value in found.items() if value is not None}
