"""Parquet: a folder of three tables, for DuckDB, pandas, polars, Spark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from biaffinity.annotation.schema import arrow_library, arrow_types
from biaffinity.facts.answers import Fact
from biaffinity.facts.exports.attributes import ENTITY, FACT, entity_attributes
from biaffinity.facts.exports.options import Exported, Options
from biaffinity.facts.facts import Facts
from biaffinity.files import replacing

NAME = "parquet"
DESCRIPTION = "a folder of Parquet, entities, facts and evidence: DuckDB, pandas, polars"
ENTITIES, FACTS, EVIDENCE = "entities.parquet", "facts.parquet", "evidence.parquet"
_ROWS = 10_000  # held at once
_ENTITY = {"id": int, **ENTITY}
_FACT = {"id": int, "head": int, "head_name": str, "tail": int, "tail_name": str, **FACT, "property": str}
_EVIDENCE: dict[str, type] = {
    "id": int,
    "fact": int,
    "document": str,
    "time": str,
    "sentence": str,
    "start": int,
    "head_start": int,
    "head_end": int,
    "tail_start": int,
    "tail_end": int,
    "score": float,
}


def write(facts: Facts, out: Path, options: Options) -> Exported:
    """``property`` is Wikidata's id of the relation, where it has one."""
    pyarrow = arrow_library("writing Parquet")
    out.mkdir(parents=True, exist_ok=True)
    rows = ({"id": each.id, **entity_attributes(each)} for each in facts.entities())
    with _Table(pyarrow, out / ENTITIES, _ENTITY) as entities:
        entities.add(rows)
    with _Table(pyarrow, out / FACTS, _FACT) as table, _Table(pyarrow, out / EVIDENCE, _EVIDENCE) as evidence:
        found = iter(facts.facts(min_score=options.min_score, sentences=options.sentences))
        while some := list(islice(found, _ROWS)):
            table.add(_fact_row(fact, options) for fact in some)
            evidence.add(row for fact in some for row in _evidence_rows(fact))
    return Exported(entities.rows, table.rows)


class _Table:
    """A Parquet file that takes its name when it is whole."""

    def __init__(self, pyarrow: Any, path: Path, columns: dict[str, type]) -> None:
        types = arrow_types(pyarrow)
        self._arrow = pyarrow
        self._schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
        self._replacing = replacing(path)
        self.rows = 0

    def __enter__(self) -> _Table:
        from pyarrow.parquet import ParquetWriter

        self._writer = ParquetWriter(self._replacing.__enter__(), self._schema)
        return self

    def add(self, rows: Iterable[dict[str, Any]]) -> None:
        left = iter(rows)
        while some := list(islice(left, _ROWS)):
            self._writer.write_table(self._arrow.Table.from_pylist(some, self._schema))
            self.rows += len(some)

    def __exit__(self, *error: Any) -> None:
        self._writer.close()
        self._replacing.__exit__(*error)


def _fact_row(fact: Fact, options: Options) -> dict[str, Any]:
    ends = {
        "head": fact.head.id,
        "head_name": fact.head.name,
        "tail": fact.tail.id,
        "tail_name": fact.tail.name,
    }
    own = {name: getattr(fact, name) for name in FACT}
    return {"id": fact.id, **ends, **own, "property": options.properties.get(fact.relation)}


def _evidence_rows(fact: Fact) -> Iterator[dict[str, Any]]:
    for each in fact.evidence:
        own = {name: getattr(each, name) for name in ("id", "document", "time", "sentence", "start", "score")}
        spans = {"head_start": each.head.start, "head_end": each.head.end}
        spans |= {"tail_start": each.tail.start, "tail_end": each.tail.end}
        yield {**own, "fact": fact.id, **spans}
