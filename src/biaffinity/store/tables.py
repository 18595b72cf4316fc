"""The tables of a store, version by version; docs/store.md explains them to those who write SQL.

A store is brought up to date when it is opened, in one transaction. A version once published is never
changed: what comes later is a version more.
"""

from __future__ import annotations

from collections.abc import Callable

from biaffinity.annotation.schema import MENTION, RELATION
from biaffinity.annotation.tables import argument_columns
from biaffinity.errors import DataError
from biaffinity.store.database import Database
from biaffinity.store.fact_tables import BEST_FIRST, FACT_TABLES

_SQL = {str: "TEXT NOT NULL", int: "INTEGER NOT NULL", float: "{number}"}
#: The sentence of a relation in characters of the text: it is what says so.
EVIDENCE: dict[str, type] = {"sentence_start": int, "sentence_end": int}


def _columns(kinds: dict[str, type]) -> str:
    return ", ".join(f"{name} {_SQL[kind]}" for name, kind in kinds.items())


def _argument(name: str) -> str:
    """The columns of an argument, called as in CSV and data frames."""
    return ", ".join(f"{name}.{column} AS {called}" for column, called in argument_columns(name).items())


_OWN = {name: kind for name, kind in RELATION.items() if name not in ("head", "tail")}
_MENTION_REFERENCE = "{whole} NOT NULL REFERENCES mentions (id) ON DELETE CASCADE"
_DOCUMENT_REFERENCE = "{whole} NOT NULL REFERENCES documents (id) ON DELETE CASCADE"

#: What makes each version out of the one before it: statements, and what no statement says for all databases.
VERSIONS: tuple[tuple[str | Callable[[Database], None], ...], ...] = (
    (
        "CREATE TABLE store (version INTEGER NOT NULL)",
        "CREATE TABLE models (id {key}, name TEXT NOT NULL UNIQUE)",
        "CREATE TABLE runs (id {key}, source_digest TEXT NOT NULL, source TEXT NOT NULL, "
        "settings TEXT NOT NULL, model {whole} NOT NULL REFERENCES models (id), "
        "position {whole} NOT NULL, digest TEXT NOT NULL, skipped {whole} NOT NULL, "
        "finished BOOLEAN NOT NULL, started {moment} NOT NULL, changed {moment} NOT NULL)",
        "CREATE INDEX runs_source ON runs (source_digest)",
        "CREATE TABLE failures (run {whole} NOT NULL REFERENCES runs (id) ON DELETE CASCADE, "
        "part {whole} NOT NULL, document {whole} NOT NULL, problem TEXT NOT NULL, "
        "PRIMARY KEY (run, part, document))",
        "CREATE TABLE parts (run {whole} NOT NULL REFERENCES runs (id) ON DELETE CASCADE, "
        "part {whole} NOT NULL, documents {whole} NOT NULL, skipped {whole} NOT NULL, "
        "PRIMARY KEY (run, part))",
        "CREATE TABLE documents (id {key}, name TEXT NOT NULL UNIQUE, text TEXT NOT NULL, "
        "digest TEXT NOT NULL, model {whole} NOT NULL REFERENCES models (id), "
        "run {whole} REFERENCES runs (id), added {moment} NOT NULL)",
        f"CREATE TABLE mentions (id {{key}}, document {_DOCUMENT_REFERENCE}, {_columns(MENTION)})",
        "CREATE INDEX mentions_document ON mentions (document)",
        "CREATE INDEX mentions_text ON mentions {equality} (text)",
        f"CREATE TABLE relation_mentions (id {{key}}, document {_DOCUMENT_REFERENCE}, {_columns(_OWN)}, "
        f"head {_MENTION_REFERENCE}, tail {_MENTION_REFERENCE}, {_columns(EVIDENCE)})",
        "CREATE INDEX relation_mentions_document ON relation_mentions (document)",
        "CREATE INDEX relation_mentions_head ON relation_mentions (head)",
        "CREATE INDEX relation_mentions_tail ON relation_mentions (tail)",
        "CREATE VIEW relation_rows AS SELECT documents.name AS document, relation.type, "
        f"{_argument('head')}, {_argument('tail')}, relation.score, models.name AS model, "
        "substr(documents.text, relation.sentence_start + 1, "
        "relation.sentence_end - relation.sentence_start) AS sentence, relation.id AS relation_mention "
        "FROM relation_mentions AS relation JOIN documents ON documents.id = relation.document "
        "JOIN models ON models.id = documents.model JOIN mentions AS head ON head.id = relation.head "
        "JOIN mentions AS tail ON tail.id = relation.tail",
    ),
    FACT_TABLES,
    BEST_FIRST,
)


def bring_up_to_date(database: Database) -> None:
    """Make the tables that are not there yet; a database that is not ours, or is ahead of us, is an error."""
    if _version(database) == len(VERSIONS):
        return
    with database.transaction(alone=True):
        version = _version(database)
        for statements in VERSIONS[version:]:
            for statement in statements:
                if isinstance(statement, str):
                    database.change(statement.format(**database.words))
                else:
                    statement(database)
        database.change("DELETE FROM store")
        database.insert("store", ["version"], [(len(VERSIONS),)])


def _version(database: Database) -> int:
    """The version of a store; 0 where nothing is there."""
    tables = database.tables()
    if not tables:
        return 0
    rows = database.select("SELECT version FROM store") if "store" in tables else []
    if len(rows) != 1 or type(rows[0][0]) is not int or rows[0][0] < 1:
        raise DataError(
            f"holds tables that are not ours: {', '.join(sorted(tables)):.100}",
            where=database.title,
            remedy="name a database of its own",
        )
    version: int = rows[0][0]
    if version > len(VERSIONS):
        raise DataError(
            f"is a store of version {version}, this program knows them up to {len(VERSIONS)}",
            where=database.title,
            remedy="install the newer biaffinity that made it",
        )
    return version
