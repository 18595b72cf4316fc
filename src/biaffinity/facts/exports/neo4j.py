"""CSV for Neo4j: a folder that ``neo4j-admin database import`` reads, and a Cypher script that loads it."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from biaffinity.facts.exports.attributes import ENTITY, EVIDENCE, FACT, entity_attributes, fact_attributes
from biaffinity.facts.exports.options import Exported, Options
from biaffinity.facts.facts import Facts
from biaffinity.files import writing

NAME = "neo4j"
DESCRIPTION = "a folder of CSV for neo4j-admin, with a Cypher script that loads it"
ENTITIES, FACTS, SCRIPT = "entities.csv", "facts.csv", "load.cypher"
_TYPES = {str: "string", int: "long", float: "double"}
_CONVERT = {str: "{}", int: "toInteger({})", float: "toFloat({})"}
_OF_FACT = {**{name: kind for name, kind in FACT.items() if name != "relation"}, **EVIDENCE}


def write(facts: Facts, out: Path, options: Options) -> Exported:
    """Nodes are labelled Entity and with their type, relationships typed by their relation."""
    out.mkdir(parents=True, exist_ok=True)
    relations: dict[str, None] = {}

    def rows() -> Iterator[Sequence[Any]]:
        for fact in facts.facts(min_score=options.min_score, sentences=min(options.sentences, 1)):
            relations[fact.relation] = None
            data = fact_attributes(fact)
            ends = (fact.head.id, fact.tail.id, fact.relation, fact.id)
            yield (*ends, *(data.get(name) for name in _OF_FACT))

    header = ["id:ID(Entity)", *_columns(ENTITY), ":LABEL"]
    entities = _write_rows(
        out / ENTITIES,
        header,
        (
            (each.id, *entity_attributes(each).values(), f"Entity;{_label(each.type)}")
            for each in facts.entities()
        ),
    )
    header = [":START_ID(Entity)", ":END_ID(Entity)", ":TYPE", "id:long", *_columns(_OF_FACT)]
    written = _write_rows(out / FACTS, header, rows())
    with writing(out / SCRIPT) as file:
        file.writelines(f"{statement};\n" for statement in _script(relations))
    return Exported(entities, written)


def _write_rows(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    count = 0
    with writing(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for count, row in enumerate(rows, 1):  # noqa: B007
            # A line end within a cell would need an option of neo4j-admin's.
            writer.writerow([" ".join(cell.split()) if isinstance(cell, str) else cell for cell in row])
    return count


def _columns(kinds: dict[str, type]) -> list[str]:
    return [f"{name}:{_TYPES[kind]}" for name, kind in kinds.items()]


def _label(type_: str) -> str:
    """A label: semicolons part labels.

    >>> _label("Org;x")
    'Org,x'
    """
    return type_.replace(";", ",")


def _script(relations: Iterable[str]) -> Iterator[str]:
    """Statements of Cypher: a relationship's type cannot be read from a row, so there is one for each."""
    yield "CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (e:Entity) REQUIRE e.id IS UNIQUE"
    own = ", ".join(f"e.{name} = {_value(name, kind)}" for name, kind in ENTITY.items())
    yield (
        f"LOAD CSV WITH HEADERS FROM 'file:///{ENTITIES}' AS row\n"
        f"MERGE (e:Entity {{id: toInteger(row.`id:ID(Entity)`)}})\nSET {own}"
    )
    own = ", ".join(f"f.{name} = {_value(name, kind)}" for name, kind in _OF_FACT.items())
    for relation in relations:
        quoted = relation.replace("\\", "\\\\").replace("'", "\\'")
        yield (
            f"LOAD CSV WITH HEADERS FROM 'file:///{FACTS}' AS row\n"
            f"WITH row WHERE row.`:TYPE` = '{quoted}'\n"
            "MATCH (h:Entity {id: toInteger(row.`:START_ID(Entity)`)}), "
            "(t:Entity {id: toInteger(row.`:END_ID(Entity)`)})\n"
            f"MERGE (h)-[f:`{relation.replace('`', '``')}` {{id: toInteger(row.`id:long`)}}]->(t)\nSET {own}"
        )


def _value(name: str, kind: type) -> str:
    return _CONVERT[kind].format(f"row.`{name}:{_TYPES[kind]}`")
