"""The tables of entities and facts, which `biaffinity.facts` fills; docs/facts.md explains them.

They refer to mentions and documents without foreign keys: what a document had said is still needed when it
has been replaced or removed, to take it out of the counts.
"""

from __future__ import annotations

from biaffinity.store.database import Database


def _watch_documents(database: Database) -> None:
    database.watch("documents", "changed_documents")


def _order_equals(database: Database) -> None:
    """Indexes that give the best of many equals, the newest first, without a look at all of them."""
    if database.equals_by_key:
        return
    for index, rows in (
        ("entities_documents", "entities (type, documents, id)"),
        ("facts_head", "facts (head, type, score, id)"),
        ("facts_tail", "facts (tail, type, score, id)"),
        ("facts_type", "facts (type, score, id)"),
        ("facts_documents", "facts (type, documents, id)"),
        ("fact_mentions_fact", "fact_mentions (fact, score, relation_mention)"),
    ):
        database.change(f"DROP INDEX {index}")
        database.change(f"CREATE INDEX {index} ON {rows}")


FACT_TABLES = (
    # Documents that were added, replaced or removed since the facts were brought up to date.
    "CREATE TABLE changed_documents (id {key}, document {whole} NOT NULL)",
    "INSERT INTO changed_documents (document) SELECT id FROM documents ORDER BY id",
    _watch_documents,
    # A name is a normal form with a type; those of one entity have the id of the first of them for it.
    # mentions: how many mean it; borne: how many are written so.
    "CREATE TABLE names (id {key}, normal TEXT NOT NULL, type TEXT NOT NULL, written TEXT NOT NULL, "
    "entity {whole} NOT NULL, mentions {whole} NOT NULL, borne {whole} NOT NULL, UNIQUE (normal, type))",
    "CREATE INDEX names_entity ON names (entity)",
    "CREATE INDEX names_empty ON names (id) WHERE mentions = 0 AND borne = 0",
    "CREATE TABLE entities (id {whole} PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, "
    "mentions {whole} NOT NULL, documents {whole} NOT NULL, facts {whole} NOT NULL)",
    "CREATE INDEX entities_documents ON entities (type, documents)",
    # The name a mention bears, and the one it means in its document by a rule.
    "CREATE TABLE entity_mentions (mention {whole} PRIMARY KEY, document {whole} NOT NULL, "
    "name {whole} NOT NULL, means {whole} NOT NULL, rule TEXT NOT NULL)",
    "CREATE INDEX entity_mentions_document ON entity_mentions (document)",
    "CREATE INDEX entity_mentions_means ON entity_mentions (means, document)",
    "CREATE INDEX entity_mentions_short ON entity_mentions (name, means) WHERE name <> means",
    "CREATE INDEX entity_mentions_full ON entity_mentions (means, name) WHERE name <> means",
    # Why names are one: what rules found, and what people decided.
    "CREATE TABLE links (one {whole} NOT NULL, other {whole} NOT NULL, rule TEXT NOT NULL, "
    "similarity {number}, word_one TEXT NOT NULL, word_other TEXT NOT NULL, "
    "PRIMARY KEY (one, other, rule))",
    "CREATE INDEX links_other ON links (other)",
    "CREATE INDEX links_word_one ON links (word_one)",
    "CREATE INDEX links_word_other ON links (word_other)",
    "CREATE TABLE decisions (one {whole} NOT NULL, other {whole} NOT NULL, together BOOLEAN NOT NULL, "
    "made {moment} NOT NULL, PRIMARY KEY (one, other))",
    "CREATE INDEX decisions_other ON decisions (other)",
    "CREATE TABLE aliases (normal TEXT NOT NULL, type TEXT NOT NULL, line {whole} NOT NULL)",
    "CREATE INDEX aliases_normal ON aliases (normal)",
    "CREATE INDEX aliases_line ON aliases (line)",
    # What names are found by: the words in them, and blocks of names that may be alike.
    "CREATE TABLE words (id {key}, word TEXT NOT NULL UNIQUE, names {whole} NOT NULL)",
    "CREATE TABLE name_blocks (block {whole} NOT NULL, name {whole} NOT NULL, PRIMARY KEY (block, name)) "
    "{by_key}",
    # doubt is the product over documents of 1 - best score; score is 1 - doubt.
    "CREATE TABLE facts (id {key}, head {whole} NOT NULL, type TEXT NOT NULL, tail {whole} NOT NULL, "
    "mentions {whole} NOT NULL, documents {whole} NOT NULL, best {number}, doubt {number} NOT NULL, "
    "score {number} NOT NULL, first_document {whole} NOT NULL, first_time {moment} NOT NULL, "
    "last_document {whole} NOT NULL, last_time {moment} NOT NULL, UNIQUE (head, type, tail))",
    "CREATE INDEX facts_head ON facts (head, type, score)",
    "CREATE INDEX facts_tail ON facts (tail, type, score)",
    "CREATE INDEX facts_type ON facts (type, score)",
    "CREATE INDEX facts_documents ON facts (type, documents)",
    # score is -1 where none is known, so that both databases put it last.
    "CREATE TABLE fact_mentions (relation_mention {whole} PRIMARY KEY, fact {whole} NOT NULL, "
    "document {whole} NOT NULL, score {number} NOT NULL)",
    "CREATE INDEX fact_mentions_fact ON fact_mentions (fact, score)",
    "CREATE INDEX fact_mentions_document ON fact_mentions (document)",
    # For those who write SQL: a row per fact with names in place of keys.
    "CREATE VIEW fact_rows AS SELECT facts.id AS fact, head.name AS head, head.type AS head_type, "
    "facts.type, tail.name AS tail, tail.type AS tail_type, facts.mentions, facts.documents, facts.best, "
    "facts.score, facts.first_time, facts.last_time, facts.head AS head_entity, facts.tail AS tail_entity "
    "FROM facts JOIN entities AS head ON head.id = facts.head JOIN entities AS tail ON tail.id = facts.tail",
)

BEST_FIRST = (_order_equals,)
