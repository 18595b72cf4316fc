"""JSON-LD: RDF as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from biaffinity.facts.exports.options import Exported, Options
from biaffinity.facts.exports.rdf import Graphs
from biaffinity.facts.facts import Facts
from biaffinity.files import writing

NAME = "jsonld"
DESCRIPTION = "RDF as JSON-LD, a file: the same"


def write(facts: Facts, out: Path, options: Options) -> Exported:
    """One array of nodes, a node to a line."""
    graphs, first = Graphs(options), True
    with writing(out) as file:
        file.write("[")
        for graph in graphs.of(facts):
            for node in json.loads(graph.serialize(format="json-ld")):
                file.write(f"{'' if first else ','}\n{json.dumps(node, ensure_ascii=False)}")
                first = False
        file.write("\n]\n")
    return Exported(graphs.entities, graphs.facts)
