"""Turtle: RDF that people can read."""

from __future__ import annotations

from pathlib import Path

from biaffinity.facts.exports.options import Exported, Options
from biaffinity.facts.exports.rdf import Graphs
from biaffinity.facts.facts import Facts
from biaffinity.files import writing

NAME = "turtle"
DESCRIPTION = "RDF as Turtle, a file, with provenance and Wikidata's properties"


def write(facts: Facts, out: Path, options: Options) -> Exported:
    """Small graphs one after the other: prefixes may be declared again."""
    graphs = Graphs(options)
    with writing(out) as file:
        for graph in graphs.of(facts):
            file.write(graph.serialize(format="turtle"))
    return Exported(graphs.entities, graphs.facts)
