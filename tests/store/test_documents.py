from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given

from biaffinity.annotation import Document
from biaffinity.annotation.tables import RELATION_COLUMNS, relation_rows
from biaffinity.store import Database, open_store
from biaffinity.store.documents import DocumentWriter, StoredDocument, Written, short_name, stored
from bulk.sinks.example import DOCUMENT
from paragraph import PARAGRAPH
from strategies import whole_documents

COLUMNS = ", ".join(RELATION_COLUMNS)


@pytest.fixture
def database(store: str) -> Iterator[Database]:
    with open_store(store) as opened:
        yield opened


def write(database: Database, *documents: Document | StoredDocument, model: str = "m") -> Written:
    rows = [stored(each) if isinstance(each, Document) else each for each in documents]
    with database.transaction():
        return DocumentWriter(database, model, {"--min-score": {}}).write(rows)


def count(database: Database, table: str) -> int:
    return int(database.select(f"SELECT count(*) FROM {table}")[0][0])


def test_the_rows_of_relations_are_those_of_csv_and_data_frames(database: Database) -> None:
    documents = [DOCUMENT, replace(PARAGRAPH, id="p")]
    assert write(database, *documents) == Written(["a,b", "p"], [], [])
    rows = database.select(f"SELECT {COLUMNS} FROM relation_rows ORDER BY relation_mention")
    assert rows == [row for each in documents for row in relation_rows(each, each.id)]


def test_a_relation_has_its_model_and_the_sentence_that_says_so(database: Database) -> None:
    write(database, DOCUMENT, model="news 1a")
    assert database.select("SELECT model, sentence FROM relation_rows") == [
        ("news 1a", 'Ilka "Roe left Łódź')
    ]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A store for documents one after the other: it is emptied between them."""
    with open_store(str(tmp_path_factory.mktemp("stores") / "x.db")) as opened:
        yield opened


@given(document=whole_documents(scores=True))
def test_a_store_holds_whatever_is_found(kept: Database, document: Document) -> None:
    with kept.transaction():
        kept.change("DELETE FROM documents")
    write(kept, document)
    mentions = kept.select("SELECT text, type, start_char, end_char, score FROM mentions ORDER BY id")
    assert mentions == [(e.text, e.type, e.start_char, e.end_char, e.score) for e in document.entities]
    rows = kept.select(f"SELECT {COLUMNS} FROM relation_rows ORDER BY relation_mention")
    assert rows == relation_rows(document, document.id)
    spans = kept.select("SELECT sentence_start, sentence_end FROM relation_mentions ORDER BY id")
    for (start, end), relation in zip(spans, document.relations, strict=True):
        assert start <= relation.start_char < relation.end_char <= end
        assert document.text[start:end] == document.sentences[relation.head.sentence].text


def test_a_document_that_has_changed_keeps_its_key_and_replaces_its_rows(database: Database) -> None:
    write(database, DOCUMENT, replace(PARAGRAPH, id="p"))
    key = database.select("SELECT id FROM documents WHERE name = 'p'")
    others = database.select("SELECT * FROM mentions WHERE document = 1 ORDER BY id")
    assert write(database, replace(DOCUMENT, id="p")) == Written([], ["p"], [])
    assert database.select("SELECT id FROM documents WHERE name = 'p'") == key
    rows = database.select(f"SELECT {COLUMNS} FROM relation_rows WHERE document = 'p'")
    assert rows == relation_rows(DOCUMENT, "p")
    assert database.select("SELECT text FROM documents WHERE name = 'p'") == [(DOCUMENT.text,)]
    assert database.select("SELECT * FROM mentions WHERE document = 1 ORDER BY id") == others


def test_a_document_that_has_not_changed_keeps_all_its_keys(database: Database) -> None:
    write(database, DOCUMENT)
    before = [database.select(f"SELECT * FROM {table}") for table in ("documents", "mentions")]
    assert write(database, DOCUMENT) == Written([], [], ["a,b"])
    assert [database.select(f"SELECT * FROM {table}") for table in ("documents", "mentions")] == before


def test_another_model_replaces_what_one_has_found(database: Database) -> None:
    write(database, DOCUMENT)
    assert write(database, DOCUMENT, model="other") == Written([], ["a,b"], [])
    assert database.select("SELECT DISTINCT model FROM relation_rows") == [("other",)]
    assert count(database, "relation_mentions") == 1


def test_no_key_is_given_twice_not_even_one_that_is_free_again(database: Database) -> None:
    write(database, DOCUMENT)
    last = database.select("SELECT max(id) FROM mentions")[0][0]
    write(database, Document([], id="a,b"))
    assert count(database, "mentions") == 0
    write(database, DOCUMENT)
    assert database.select("SELECT min(id) FROM mentions")[0][0] > last


def test_more_documents_than_a_statement_takes_values(database: Database) -> None:
    documents = [replace(DOCUMENT, id=str(n)) for n in range(1201)]
    assert len(write(database, *documents).new) == 1201
    changed = [replace(PARAGRAPH, id=str(n)) for n in range(1201)]
    assert len(write(database, *changed).replaced) == 1201
    assert count(database, "relation_mentions") == 1201 * len(PARAGRAPH.relations)


def test_a_document_takes_its_mentions_and_relations_with_it(database: Database) -> None:
    write(database, DOCUMENT)
    database.change("DELETE FROM documents")
    assert count(database, "mentions") == count(database, "relation_mentions") == 0


def test_very_long_names_are_told_apart(database: Database) -> None:
    names = ["é" * 100_000 + end for end in "ab"]
    write(database, *(replace(DOCUMENT, id=name) for name in names))
    assert database.select("SELECT name FROM documents ORDER BY id") == [(short_name(n),) for n in names]


def test_a_very_long_mention_is_held(database: Database) -> None:
    text = "x" * 1_000_000
    write(database, StoredDocument("long", text, [(text, "Org", 0, len(text), 0.5)], []))
    assert database.select("SELECT length(text) FROM mentions") == [(1_000_000,)]
