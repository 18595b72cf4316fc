"""GraphML: one file, for networkx, Gephi, yEd, igraph; written as it is read from the store."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from biaffinity.facts.exports.attributes import ENTITY, EVIDENCE, FACT, entity_attributes, fact_attributes
from biaffinity.facts.exports.options import Exported, Options
from biaffinity.facts.facts import Facts
from biaffinity.files import writing

NAME = "graphml"
DESCRIPTION = "GraphML, a file: networkx, Gephi, yEd, igraph"
_TYPES = {str: "string", int: "long", float: "double"}
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0
_REPLACED = "\ufffd"


def write(facts: Facts, out: Path, options: Options) -> Exported:
    """A node per entity, an edge per fact with its best sentence."""
    entities = edges = 0
    with writing(out) as file:
        file.write('<?xml version="1.0" encoding="utf-8"?>\n')
        file.write('<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
        for kind, attributes in (("node", ENTITY), ("edge", {**FACT, **EVIDENCE})):
            for name, type_ in attributes.items():
                own = f'for="{kind}" attr.name="{name}" attr.type="{_TYPES[type_]}"'
                file.write(f'<key id="{kind}-{name}" {own}/>\n')
        file.write('<graph edgedefault="directed">\n')
        for entity in facts.entities():
            data = _data("node", entity_attributes(entity))
            file.write(f'<node id="{entity.id}">{data}</node>\n')
            entities += 1
        for fact in facts.facts(min_score=options.min_score, sentences=min(options.sentences, 1)):
            ends = f'id="{fact.id}" source="{fact.head.id}" target="{fact.tail.id}"'
            file.write(f"<edge {ends}>{_data('edge', fact_attributes(fact))}</edge>\n")
            edges += 1
        file.write("</graph>\n</graphml>\n")
    return Exported(entities, edges)


def _data(kind: str, values: Mapping[str, Any]) -> str:
    """Attributes as elements.

    >>> _data("node", {"name": "Roe & Sons"})
    '<data key="node-name">Roe &amp; Sons</data>'
    """
    return "".join(
        f'<data key="{kind}-{name}">{escape(_FORBIDDEN.sub(_REPLACED, str(value)))}</data>'
        for name, value in values.items()
    )
