"""A graph of networkx, in memory."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from biaffinity.errors import MissingExtraError
from biaffinity.facts.exports.attributes import entity_attributes, fact_attributes
from biaffinity.facts.facts import Facts


def to_networkx(facts: Facts, *, min_score: float = 0.0, sentences: int = 1) -> Any:
    """A ``networkx.MultiDiGraph``: nodes are ids of entities, keys of edges those of facts."""
    try:
        networkx: Any = import_module("networkx")
    except ModuleNotFoundError as error:
        raise MissingExtraError("a graph of networkx", "exports") from error
    graph = networkx.MultiDiGraph()
    for entity in facts.entities():
        graph.add_node(entity.id, **entity_attributes(entity))
    for fact in facts.facts(min_score=min_score, sentences=sentences):
        graph.add_edge(fact.head.id, fact.tail.id, key=fact.id, **fact_attributes(fact))
    return graph
