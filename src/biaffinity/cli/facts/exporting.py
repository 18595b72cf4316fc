"""``biaffinity facts export``: all entities and facts, for other programs."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from biaffinity.cli.console import counted, tell
from biaffinity.cli.facts.app import DEFAULT, LeastScore, Sentences, Store, facts_app, open_facts


class Export(str, Enum):
    """What can be written."""

    GRAPHML = "graphml"
    NEO4J = "neo4j"
    TURTLE = "turtle"
    JSONLD = "jsonld"
    PARQUET = "parquet"


_HELP = "\n\n".join(
    (
        "Write all entities and facts for other programs.",
        "graphml: a file for networkx, Gephi, yEd. neo4j: a folder of CSV for neo4j-admin, with a Cypher "
        "script that loads it. turtle, jsonld: RDF with the sentences that facts come from, and Wikidata's "
        "properties where the model knows them (extra exports). parquet: a folder of tables for DuckDB, "
        "pandas, polars (extra tables).",
        "Example: [bold]biaffinity facts export --to turtle --out facts.ttl[/bold]",
    )
)


@facts_app.command(help=_HELP)
def export(
    to: Annotated[
        Export, typer.Option("--to", metavar="KIND", help="graphml, neo4j, turtle, jsonld or parquet.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="PATH", help="The file or folder to write.")],
    store: Store = DEFAULT,
    min_score: LeastScore = 0.0,
    sentences: Sentences = 1,
    base: Annotated[
        str, typer.Option("--base", metavar="URL", help="What the addresses of RDF begin with.")
    ] = "urn:biaffinity:",
) -> None:
    """Write all entities and facts for other programs."""
    from biaffinity.facts.exports import export as write

    with open_facts(store) as facts:
        done = write(facts, to.value, out, min_score=min_score, sentences=sentences, base=base)
    tell(f"{counted(done.entities, 'entity')} and {counted(done.facts, 'fact')} written to {out}")
