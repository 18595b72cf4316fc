"""Facts as RDF, in small graphs that are written one after the other.

A fact is a triple, and a statement about it (rdf:Statement) that carries its score and was derived (PROV)
from the sentences that say so, each quoted from its document. A relation that has an id in Wikidata is
Wikidata's own property.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from importlib import import_module
from itertools import islice
from typing import Any, TypeVar
from urllib.parse import quote

from biaffinity.errors import MissingExtraError, UsageError
from biaffinity.facts.answers import Entity, Evidence, Fact
from biaffinity.facts.exports.options import Options
from biaffinity.facts.facts import Facts
from biaffinity.store import Database

AT_ONCE = 1_000  # entities or facts of one graph
_WIKIDATA = "http://www.wikidata.org/prop/direct/"
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]*")
T = TypeVar("T")


class Graphs:
    """Makes graphs of rdflib out of entities and facts, and counts them."""

    def __init__(self, options: Options) -> None:
        try:
            self._library: Any = import_module("rdflib")
        except ModuleNotFoundError as error:
            raise MissingExtraError("RDF", "exports") from error
        if not _ADDRESS.fullmatch(options.base):
            raise UsageError(
                "no address can begin so", where=options.base, remedy="such as https://example.org/facts/"
            )
        self._options = options
        self._named: set[str] = set()  # relations that have a label by now
        self.entities = self.facts = 0

    def of(self, facts: Facts) -> Iterator[Any]:
        """All of it, in pieces."""
        options = self._options
        for entities in _pieces(facts.entities()):
            graph, names = self._empty(), _names(facts.database, [entity.id for entity in entities])
            for entity in entities:
                self._add_entity(graph, entity, names[entity.id])
            self.entities += len(entities)
            yield graph
        for some in _pieces(facts.facts(min_score=options.min_score, sentences=options.sentences)):
            graph = self._empty()
            for fact in some:
                self._add_fact(graph, fact)
            self.facts += len(some)
            yield graph

    def _empty(self) -> Any:
        graph = self._library.Graph(bind_namespaces="none")
        base = self._options.base
        for prefix, namespace in (
            ("rdf", self._library.RDF),
            ("rdfs", self._library.RDFS),
            ("xsd", self._library.XSD),
            ("skos", self._library.SKOS),
            ("prov", self._library.PROV),
            ("wdt", _WIKIDATA),
            ("entity", f"{base}entity/"),
            ("fact", f"{base}fact/"),
            ("term", f"{base}term/"),
        ):
            graph.bind(prefix, namespace)
        return graph

    def _add_entity(self, graph: Any, entity: Entity, names: Iterable[str]) -> None:
        node, rdf = self._own("entity", entity.id), self._library.RDF
        graph.add((node, rdf.type, self._own("type", entity.type)))
        graph.add((node, self._library.RDFS.label, self._library.Literal(entity.name)))
        for name in names:
            if name != entity.name:
                graph.add((node, self._library.SKOS.altLabel, self._library.Literal(name)))
        for count in ("mentions", "documents"):
            graph.add((node, self._own("term", count), self._library.Literal(getattr(entity, count))))

    def _add_fact(self, graph: Any, fact: Fact) -> None:
        rdf = self._library.RDF
        head, tail = self._own("entity", fact.head.id), self._own("entity", fact.tail.id)
        relation = self._relation(graph, fact.relation)
        graph.add((head, relation, tail))
        node = self._own("fact", fact.id)
        graph.add((node, rdf.type, rdf.Statement))
        for role, value in ((rdf.subject, head), (rdf.predicate, relation), (rdf.object, tail)):
            graph.add((node, role, value))
        for name in ("score", "mentions", "documents"):
            if (value := getattr(fact, name)) is not None:
                graph.add((node, self._own("term", name), self._number(value)))
        for evidence in fact.evidence:
            graph.add((node, self._library.PROV.wasDerivedFrom, self._add_evidence(graph, evidence)))

    def _add_evidence(self, graph: Any, evidence: Evidence) -> Any:
        prov, literal = self._library.PROV, self._library.Literal
        node, document = self._own("evidence", evidence.id), self._own("document", evidence.document)
        graph.add((node, prov.value, literal(evidence.sentence)))
        graph.add((node, prov.wasQuotedFrom, document))
        if evidence.score is not None:
            graph.add((node, self._own("term", "score"), self._number(evidence.score)))
        graph.add((document, self._library.RDFS.label, literal(evidence.document)))
        moment = literal(evidence.time, datatype=self._library.XSD.dateTime)
        graph.add((document, prov.generatedAtTime, moment))
        return node

    def _relation(self, graph: Any, name: str) -> Any:
        known = self._options.properties.get(name)
        node = self._library.URIRef(f"{_WIKIDATA}{known}") if known else self._own("relation", name)
        if name not in self._named:
            self._named.add(name)
            graph.add((node, self._library.RDFS.label, self._library.Literal(name)))
        return node

    def _number(self, value: float) -> Any:
        """A count, or a score as a decimal: Turtle's doubles lose digits."""
        return self._library.Literal(value if isinstance(value, int) else Decimal(f"{value:.6f}"))

    def _own(self, kind: str, name: object) -> Any:
        return self._library.URIRef(f"{self._options.base}{kind}/{quote(str(name), safe='')}")


def _names(database: Database, entities: Sequence[int]) -> dict[int, list[str]]:
    names: dict[int, list[str]] = {entity: [] for entity in entities}
    query = "SELECT entity, written FROM names WHERE entity"
    for entity, written in sorted(database.select_among(query, entities)):
        names[entity].append(written)
    return names


def _pieces(items: Iterable[T]) -> Iterator[list[T]]:
    left = iter(items)
    while piece := list(islice(left, AT_ONCE)):
        yield piece
