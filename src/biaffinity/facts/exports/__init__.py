"""Facts for other programs: a file per format. Nothing is held in memory but a batch of rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from biaffinity.errors import UsageError
from biaffinity.facts.exports import graphml, jsonld, neo4j, parquet, turtle
from biaffinity.facts.exports.networkx_graph import to_networkx
from biaffinity.facts.exports.options import BASE, Exported, Options
from biaffinity.facts.exports.wikidata import property_ids
from biaffinity.facts.facts import Facts

__all__ = ["DESCRIPTIONS", "Exported", "export", "to_networkx"]

_FORMATS = (graphml, neo4j, turtle, jsonld, parquet)
_WRITERS: dict[str, Callable[[Facts, Path, Options], Exported]] = {each.NAME: each.write for each in _FORMATS}
#: What each format is, by its name.
DESCRIPTIONS = {each.NAME: each.DESCRIPTION for each in _FORMATS}


def export(
    facts: Facts,
    to: str,
    out: Path,
    *,
    min_score: float = 0.0,
    sentences: int = 1,
    base: str = BASE,
) -> Exported:
    """Write all entities and facts as ``to``, a key of `DESCRIPTIONS`.

    ``sentences`` are those that come with each fact, where the format has a place for them; ``base`` is what
    the addresses of RDF begin with.
    """
    if to not in _WRITERS:
        raise UsageError(f"unknown export {to!r}", remedy=f"one of {', '.join(_WRITERS)}")
    return _WRITERS[to](facts, out, Options(min_score, sentences, base, property_ids(facts.database)))
