"""What nobody means to put into a store, or to ask of it: a clear answer, and nothing is lost."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest

from biaffinity import facts
from biaffinity.errors import DataError, UsageError
from biaffinity.facts.index.postgresql import PostgreSQLIndex
from biaffinity.store import open_store
from biaffinity.store.documents import StoredDocument
from facts.invented import NEWS, document, everything, remove, write
from store.server import Server

STRANGE = [
    "Robert'); DROP TABLE names; --",
    "<script>alert(1)</script>",
    '" OR "a"="a',
    "%_\\",
    "NEAR(a b)",
    "a AND NOT b*",
    "a:* & !b | 'c",
    "{}",
    "?",
    "日本 東京",
    "\u202eevil",
    "x" * 3000,
]


def test_a_name_is_only_a_name(store: str) -> None:
    documents = []
    for number, name in enumerate(STRANGE):
        place = len(name) + 5
        mentions = [(name, "Peop", 0, len(name), 0.5), ("Bo", "Peop", place, place + 2, 0.5)]
        relations = [("Met", 0, 1, 0.5, 0, place + 2)]
        documents.append(StoredDocument(f"{number}{name}"[:400], f"{name} met Bo", mentions, relations))
    write(store, *documents)
    with facts.open(store) as opened:
        opened.update()
        for name in STRANGE:
            assert opened.search(name)[0].entity.name == name
            (fact,) = opened.find(head=name)
            assert fact.evidence[0].sentence == f"{name} met Bo"
            assert opened.path(name, "Bo").found
            assert opened.why(name).names[0].written == (name,)


def test_a_mention_without_a_name_is_nobody(store: str) -> None:
    mentions = [("", "Peop", 0, 0, 0.5), (" \n", "Peop", 1, 3, 0.5), ("Bo", "Peop", 3, 5, 0.5)]
    relations = [("Met", 0, 2, 0.5, 0, 5), ("Met", 1, 2, 0.5, 0, 5)]
    write(store, StoredDocument("a", "x \nBo", mentions, relations))
    with facts.open(store) as opened:
        opened.update()
        assert (opened.summary().entities, opened.summary().facts) == (1, 0)
        for text in ("", "   "):
            with pytest.raises(UsageError, match="there is nothing to look for"):
                opened.search(text)
            with pytest.raises(UsageError, match="no entity is called"):
                opened.about(text)


def test_an_entity_of_very_many_mentions(tmp_path: Path) -> None:
    store = str(tmp_path / "x.db")
    mentions = [("Bo", "Peop", 0, 2, 0.5)] * 100_000 + [("Norvik", "Org", 3, 9, 0.5)]
    write(store, StoredDocument("a", "Bo Norvik", mentions, [("Work_For", 7, 100_000, 0.5, 0, 9)] * 10))
    with facts.open(store) as opened:
        opened.update()
        assert opened.about("Bo").entity.mentions == 100_000
        assert opened.why("Bo").names[0].written == ("Bo",)
        assert opened.find(head="Bo")[0].mentions == 10


def test_a_store_without_mentions_knows_nothing(store: str) -> None:
    open_store(store).close()
    with facts.open(store) as opened:
        assert opened.update() == facts.Updated(0, 0)
        assert opened.search("Bo") == opened.find() == []
        assert opened.top() == facts.Top((), ())
        assert opened.summary() == facts.Summary(0, 0, 0, 0, (), ())
        with pytest.raises(UsageError, match=r"no entity is called 'Bo' \(biaffinity facts search"):
            opened.about("Bo")


def test_what_is_no_store_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.db: no such file"):
        facts.open(str(tmp_path / "none.db"))
    assert not (tmp_path / "none.db").exists()
    (tmp_path / "text.db").write_text("Bo met Al. " * 1000)
    with pytest.raises(DataError, match=r"text\.db: is no SQLite database"):
        facts.open(str(tmp_path / "text.db"))
    with pytest.raises(DataError, match="is a folder"):
        facts.open(str(tmp_path))


def test_a_store_of_a_later_version_is_refused(store: str) -> None:
    with open_store(store) as database:
        database.change("UPDATE store SET version = 99")
    with pytest.raises(DataError, match="is a store of version 99"):
        facts.open(store)


def test_two_writers_lose_nothing(store: str) -> None:
    many = [
        StoredDocument(f"{each.name}{n}", each.text, each.mentions, each.relations)
        for n in range(60)
        for each in NEWS
    ]
    write(store, *many[: len(many) // 2])
    failed: list[Exception] = []

    def update() -> None:
        try:
            with facts.open(store) as opened:
                opened.update()
        except Exception as error:  # told by the test, not by the thread
            failed.append(error)

    facts.open(store).close()
    threads = [Thread(target=update) for _ in range(3)]
    for thread in threads:
        thread.start()
    write(store, *many[len(many) // 2 :])
    for thread in threads:
        thread.join()
    assert not failed
    with facts.open(store) as opened:
        opened.update()
        (fact,) = opened.find(head="Paul Okafor", tail="Norvik Oil")
        assert (fact.mentions, fact.documents) == (180, 120)
        assert opened.database.select("SELECT sum(documents) FROM entities") == [(60 * 11,)]


def test_an_update_that_fails_leaves_all_as_it_was(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from biaffinity.facts import update as module

    write(store, *NEWS[:2])
    with facts.open(store) as opened:
        opened.update()
        before = everything(opened)
        write(store, *NEWS[2:])
        with monkeypatch.context() as patch:
            patch.setattr(module, "state", lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                opened.update()
        assert (everything(opened), opened.waiting()) == (before, 2)
        opened.update()
        assert len(opened.find()) == 6


def test_without_trigrams_postgresql_looks_among_words_of_the_same_beginning(
    postgresql: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(self: PostgreSQLIndex) -> None:
        """As where the extension is not installed."""

    monkeypatch.setattr(PostgreSQLIndex, "_try_extension", refused)
    store = postgresql.empty_database()
    write(store, *NEWS)
    with facts.open(store) as opened:
        opened.update()
        assert opened.search("okafr")[0].entity.name == "Paul Okafor"
        assert opened.search("norvik")[0].entity.name == "Norvik Oil Company"
        assert opened.search("xkafor") == []
        opened.database.change("CREATE EXTENSION pg_trgm")
    with facts.open(store) as opened:
        assert opened.search("xkafor")[0].entity.name == "Paul Okafor"


def test_a_file_that_was_made_smaller_is_searched_as_before(tmp_path: Path) -> None:
    store = str(tmp_path / "x.db")
    write(store, *NEWS)
    with facts.open(store) as opened:
        opened.update()
        remove(store, "c")
        opened.update()
        opened.database.change("VACUUM")
        assert opened.search("harow")[0].entity.name == "Harrow"
        remove(store, "a", "b", "d")
        opened.update()
        assert opened.search("harow") == []
        opened.database.change("INSERT INTO word_index (word_index) VALUES ('integrity-check')")


def test_between_a_replacement_and_the_update_what_is_left_can_be_asked_for(news_facts: facts.Facts) -> None:
    write(news_facts.database.title, document("a", "[Bo/Peop] met [Al/Peop].", ("Met", 0, 1, 0.5)))
    (fact,) = news_facts.find(head="Paul Okafor", tail="NOC", sentences=3)
    assert [evidence.document for evidence in fact.evidence] == ["b"]
    assert news_facts.waiting() == 1
    news_facts.update()
    assert news_facts.find(relation="Met")[0].evidence[0].sentence == "Bo met Al."
