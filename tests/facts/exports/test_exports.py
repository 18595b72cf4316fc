"""Each export is read back by the program that it is for, and holds all there is."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import pytest

from biaffinity.errors import UsageError
from biaffinity.facts import Fact, Facts
from biaffinity.facts.exports import DESCRIPTIONS, export, to_networkx

STRANGE = "Robert'); DROP TABLE entities;--"


def all_of(facts: Facts) -> tuple[dict[int, str], dict[int, Fact]]:
    entities = {entity.id: entity.name for entity in facts.entities()}
    found = {fact.id: fact for fact in facts.facts(sentences=1)}
    assert len(entities) > 8
    assert len(found) > 8
    assert STRANGE in entities.values()
    return entities, found


def edges(facts: dict[int, Fact]) -> set[tuple[int, str, int]]:
    return {(fact.head.id, fact.relation, fact.tail.id) for fact in facts.values()}


@pytest.mark.parametrize("to", DESCRIPTIONS)
def test_what_was_written_is_counted_and_written_the_same_again(
    told_facts: Facts, tmp_path: Path, to: str
) -> None:
    if to in ("turtle", "jsonld"):
        pytest.importorskip("rdflib", reason="needs the extra exports")
    entities, found = all_of(told_facts)
    for name in ("one", "two"):
        written = export(told_facts, to, tmp_path / name)
        assert (written.entities, written.facts) == (len(entities), len(found))

    def contents(name: str) -> list[bytes]:
        out = tmp_path / name
        return [path.read_bytes() for path in ([out] if out.is_file() else sorted(out.iterdir()))]

    assert contents("one") == contents("two")
    fewer = export(told_facts, to, tmp_path / "fewer", min_score=0.75)
    assert 0 < fewer.facts < len(found)


def test_an_unknown_export_is_refused_with_those_there_are(told_facts: Facts, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="graphml"):
        export(told_facts, "gexf", tmp_path / "x")


@pytest.mark.parametrize("way", ["GraphML", "in memory"])
def test_networkx_has_every_entity_and_fact(told_facts: Facts, tmp_path: Path, way: str) -> None:
    networkx = pytest.importorskip("networkx", reason="needs the extra exports")
    entities, found = all_of(told_facts)
    if way == "GraphML":
        export(told_facts, "graphml", tmp_path / "facts.graphml")
        graph = networkx.read_graphml(tmp_path / "facts.graphml", node_type=int, force_multigraph=True)
    else:
        graph = to_networkx(told_facts)
    assert dict(graph.nodes(data="name")) == entities
    assert {(h, r, t) for h, t, r in graph.edges(data="relation")} == edges(found)
    assert {int(key) for _, _, key in graph.edges(keys=True)} == set(found)
    for _, _, key, data in graph.edges(keys=True, data=True):
        fact = found[int(key)]
        assert data["score"] == pytest.approx(fact.score)
        assert data["sentence"] == fact.evidence[0].sentence
        assert data["document"] == fact.evidence[0].document


def test_characters_that_xml_cannot_hold_are_replaced(tmp_path: Path) -> None:
    networkx = pytest.importorskip("networkx", reason="needs the extra exports")
    from biaffinity.facts.exports.graphml import _data

    node = _data("node", {"name": "a\x00\x0b\ufffe<&>"})
    text = (
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        '<key id="node-name" for="node" attr.name="name" attr.type="string"/>'
        f'<graph edgedefault="directed"><node id="1">{node}</node></graph></graphml>'
    )
    assert dict(networkx.parse_graphml(text).nodes(data="name")) == {"1": "a\ufffd\ufffd\ufffd<&>"}


def test_neo4j_gets_typed_columns_and_a_script_for_every_relation(told_facts: Facts, tmp_path: Path) -> None:
    entities, found = all_of(told_facts)
    export(told_facts, "neo4j", tmp_path / "neo4j")

    def rows(name: str) -> list[dict[str, str]]:
        with (tmp_path / "neo4j" / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    assert {int(row["id:ID(Entity)"]): row["name:string"] for row in rows("entities.csv")} == entities
    assert {row[":LABEL"] for row in rows("entities.csv")} >= {"Entity;Person", "Entity;Location"}
    ends = (":START_ID(Entity)", ":TYPE", ":END_ID(Entity)")
    read = {(int(row[ends[0]]), row[ends[1]], int(row[ends[2]])) for row in rows("facts.csv")}
    assert read == edges(found)
    assert {int(row["id:long"]): float(row["score:double"]) for row in rows("facts.csv")} == {
        key: pytest.approx(fact.score) for key, fact in found.items()
    }
    script = (tmp_path / "neo4j" / "load.cypher").read_text("utf-8")
    assert set(re.findall(r"\[f:`([^`]*)`", script)) == {fact.relation for fact in found.values()}
    columns = set(re.findall(r"row\.`([^`]*)`", script))
    assert columns <= {*rows("facts.csv")[0], *rows("entities.csv")[0]}


def rdf(facts: Facts, to: str, out: Path, **options: Any) -> Any:
    rdflib = pytest.importorskip("rdflib", reason="needs the extra exports")
    export(facts, to, out, **options)
    return rdflib.Graph().parse(out, format={"turtle": "turtle", "jsonld": "json-ld"}[to])


READER = "ignore:ConjunctiveGraph is deprecated:DeprecationWarning"  # of rdflib itself


@pytest.mark.filterwarnings(READER)
def test_rdf_has_every_fact_with_its_sentence_and_document(told_facts: Facts, tmp_path: Path) -> None:
    turtle = rdf(told_facts, "turtle", tmp_path / "facts.ttl")
    assert set(turtle) == set(rdf(told_facts, "jsonld", tmp_path / "facts.jsonld"))
    _, found = all_of(told_facts)
    query = """
        PREFIX prov: <http://www.w3.org/ns/prov#> PREFIX term: <urn:biaffinity:term/>
        SELECT ?fact ?head ?tail ?score ?sentence ?document WHERE {
            ?fact a rdf:Statement; rdf:subject ?h; rdf:predicate ?p; rdf:object ?t; term:score ?score;
                prov:wasDerivedFrom ?evidence .
            ?h ?p ?t . ?h rdfs:label ?head . ?t rdfs:label ?tail .
            ?evidence prov:value ?sentence; prov:wasQuotedFrom ?d . ?d rdfs:label ?document .
        }"""
    read = {int(str(row.fact).rpartition("/")[2]): row for row in turtle.query(query)}
    assert read.keys() == found.keys()
    for key, row in read.items():
        fact = found[key]
        assert (str(row.head), str(row.tail)) == (fact.head.name, fact.tail.name)
        assert float(row.score) == pytest.approx(fact.score, abs=1e-6)
        assert str(row.sentence) == fact.evidence[0].sentence
        assert str(row.document) == fact.evidence[0].document


def test_relations_are_wikidatas_properties_where_the_model_says_which(
    told_facts: Facts, tmp_path: Path
) -> None:
    turtle = rdf(told_facts, "turtle", tmp_path / "facts.ttl", base="https://example.org/facts/")
    query = "SELECT DISTINCT ?p WHERE { ?s rdf:predicate ?p }"
    properties = {str(row.p) for row in turtle.query(query)}
    assert "http://www.wikidata.org/prop/direct/P108" in properties  # employer
    assert not [name for name in properties if "employer" in name]
    assert str(next(turtle.subjects())).startswith(("https://example.org/facts/", "http://www.wikidata.org/"))


def test_rdf_has_the_other_names_of_an_entity(told_facts: Facts, tmp_path: Path) -> None:
    merged = told_facts.merge("Ingrid Sørbø", "Tomás Beltrán")
    turtle = rdf(told_facts, "turtle", tmp_path / "facts.ttl")
    query = f"""PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
        SELECT ?name WHERE {{ <urn:biaffinity:entity/{merged.id}> rdfs:label|skos:altLabel ?name }}"""
    assert {str(row.name) for row in turtle.query(query)} == {"Ingrid Sørbø", "Tomás Beltrán"}


def test_addresses_that_no_rdf_can_hold_are_refused(told_facts: Facts, tmp_path: Path) -> None:
    pytest.importorskip("rdflib", reason="needs the extra exports")
    with pytest.raises(UsageError, match="such as https"):
        export(told_facts, "turtle", tmp_path / "x.ttl", base="no address <here>")


def read_by_pandas(path: Path) -> list[dict[str, Any]]:
    pandas = pytest.importorskip("pandas", reason="needs the extra tables")
    return pandas.read_parquet(path).to_dict("records")


def read_by_duckdb(path: Path) -> list[dict[str, Any]]:
    duckdb = pytest.importorskip("duckdb", reason="needs duckdb (not in the dev extra)")
    query = duckdb.sql(f"SELECT * FROM '{path}'")
    return [dict(zip(query.columns, row, strict=True)) for row in query.fetchall()]


def read_by_polars(path: Path) -> list[dict[str, Any]]:
    polars = pytest.importorskip("polars", reason="needs polars (not in the dev extra)")
    return polars.read_parquet(path).to_dicts()


@pytest.mark.parametrize("read", [read_by_pandas, read_by_duckdb, read_by_polars])
def test_parquet_has_every_entity_fact_and_sentence(told_facts: Facts, tmp_path: Path, read: Any) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra tables")
    entities, found = all_of(told_facts)
    out = tmp_path / "parquet"
    export(told_facts, "parquet", out, sentences=2)
    assert {row["id"]: row["name"] for row in read(out / "entities.parquet")} == entities
    rows = read(out / "facts.parquet")
    assert {(row["head"], row["relation"], row["tail"]) for row in rows} == edges(found)
    assert {row["id"]: row["score"] for row in rows} == {k: pytest.approx(f.score) for k, f in found.items()}
    assert {row["property"] for row in rows if row["relation"] == "employer"} == {"P108"}
    sentences = read(out / "evidence.parquet")
    assert len(sentences) == sum(min(fact.mentions, 2) for fact in found.values()) > len(found)
    for row in sentences:
        mentioned = {
            (each.start, each.end): each.entity for each in told_facts.text(row["document"]).mentions
        }
        fact = found[row["fact"]]
        for side, entity in (("head", fact.head), ("tail", fact.tail)):
            place = (row["start"] + row[f"{side}_start"], row["start"] + row[f"{side}_end"])
            assert mentioned[place] == entity.id
