"""What questions read of a store: no more than they show, however large it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from biaffinity import facts
from biaffinity.facts import Facts
from biaffinity.store import Database, open_store
from biaffinity.store.sqlite import SQLite
from facts.invented import NEWS, document, write
from store.server import Server


def plan(database: Database, statement: str, values: Sequence[Any]) -> str:
    """How a database would go about a query if it sorted, and read whole tables, only where it must."""
    if isinstance(database, SQLite):
        return "\n".join(row[3] for row in database.select(f"EXPLAIN QUERY PLAN {statement}", values))
    for way in ("sort", "seqscan", "bitmapscan"):
        database.change(f"SET enable_{way} = off")
    return "\n".join(row[0] for row in database.select(f"EXPLAIN {statement}", values))


def test_the_best_come_in_the_order_of_an_index(news_facts: Facts, monkeypatch: pytest.MonkeyPatch) -> None:
    database = news_facts.database
    entity, fact = news_facts.entity("Solund", type="Loc").id, news_facts.find()[0].id
    asked: list[tuple[str, Sequence[Any]]] = []
    select = database.select

    def noting(statement: str, values: Sequence[Any] = ()) -> list[Any]:
        asked.append((statement, values))
        return select(statement, values)

    with monkeypatch.context() as patch:
        patch.setattr(database, "select", noting)
        news_facts.about(entity)
        news_facts.find(entity=entity)
        news_facts.find(relation="Live_In", min_score=0.5)
        news_facts.top()
        news_facts.evidence(fact)
    best = [(statement, values) for statement, values in asked if "LIMIT" in statement]
    assert len(best) > 8
    for statement, values in best:
        how = plan(database, statement, values)
        assert "Sort" not in how, statement
        assert "TEMP B-TREE" not in how, statement


def test_new_names_do_not_wait_to_be_put_into_the_index(
    postgresql: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = postgresql.empty_database()
    write(store, *NEWS)
    with facts.open(store) as opened:
        opened.update()
        opened.database.change("DROP INDEX names_words")
        # As stores have it that were made before.
        opened.database.change(
            "CREATE INDEX names_words ON names USING gin (to_tsvector('simple'::regconfig, normal))"
        )
    with facts.open(store) as opened:
        monkeypatch.setattr(opened.database, "settle", lambda: None)  # which would put them there
        write(store, document("e", "[Brynhild Aas/Peop] sang."))
        opened.update()
        assert opened.search("brynhld")[0].entity.name == "Brynhild Aas"
        for index in ("names_words", "words_trigrams"):
            waiting = "SELECT gin_clean_pending_list(?::regclass)"
            assert opened.database.select(waiting, [f"biaffinity.{index}"]) == [(0,)]


def test_a_store_of_the_second_version_gives_its_best_by_an_index_too(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from biaffinity.store import tables

    query = "SELECT score, id FROM facts WHERE type = ? ORDER BY score DESC, id DESC LIMIT 1"
    with monkeypatch.context() as patch:
        patch.setattr(tables, "VERSIONS", tables.VERSIONS[:2])
        write(store, *NEWS)
        with facts.open(store) as opened:
            opened.update()
            sorts = "Sort" in plan(opened.database, query, ["Live_In"])
            assert sorts is not isinstance(opened.database, SQLite)
            before = opened.find()
    with facts.open(store) as opened:
        assert opened.find() == before
        assert "Sort" not in plan(opened.database, query, ["Live_In"])
    with open_store(store) as database:
        assert database.select("SELECT version FROM store") == [(len(tables.VERSIONS),)]
