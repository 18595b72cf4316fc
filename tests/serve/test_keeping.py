"""What the service extracted, kept in a store."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from biaffinity import Extractor
from biaffinity.errors import DataError, UsageError
from biaffinity.serve import Settings, create_app, keeping
from biaffinity.serve.metrics import Metrics
from biaffinity.serve.reading import Task
from biaffinity.store import open_store

TEXT = "Ilka Roe lives in Ghent."


def ask(client: TestClient, **wanted: Any) -> None:
    assert client.post("/v1/extract", json={"text": TEXT, **wanted}).status_code == 200


def rows(store: str) -> list[Any]:
    with open_store(store) as database:
        return database.select("SELECT documents.name, documents.text FROM documents ORDER BY id")


def test_what_was_answered_is_kept_and_counted(store: str, extractor: Extractor) -> None:
    with TestClient(create_app(Settings(sink=store), extractor)) as client:
        ask(client, id="a")
        ask(client, id=7)
        ask(client)
        ask(client)
    (first, second, third) = rows(store)
    assert (first, second) == (("a", TEXT), ("7", TEXT))
    assert third[0].startswith("text:")
    with open_store(store) as database:
        found = database.select(
            "SELECT DISTINCT head, tail, sentence FROM relation_rows WHERE document = 'a'"
        )
        ((model,),) = database.select("SELECT name FROM models")
    assert found == [(r.head.text, r.tail.text, TEXT) for r in extractor(TEXT).relations]
    assert model.startswith("news ")


def test_nothing_is_kept_unless_asked_to(tmp_path: Path, client: TestClient) -> None:
    ask(client, id="a")
    assert list(tmp_path.iterdir()) == []


def test_another_request_for_the_same_document_replaces_its_rows(
    tmp_path: Path, extractor: Extractor
) -> None:
    store = str(tmp_path / "facts.db")
    for least, relations in ((0.0, len(extractor(TEXT).relations)), (1.0, 0)):
        with TestClient(create_app(Settings(sink=store), extractor)) as client:
            ask(client, id="a", min_score=least)
        with open_store(store) as database:
            assert database.select("SELECT count(*) FROM relation_mentions") == [(relations,)]


def test_a_store_that_will_not_do_is_told_before_it_starts(tmp_path: Path, extractor: Extractor) -> None:
    (tmp_path / "facts.db").write_text("these are my notes\n" * 300)
    with pytest.raises(DataError, match="is no SQLite database"):
        create_app(Settings(sink=str(tmp_path / "facts.db")), extractor)


def test_a_store_that_cannot_be_written_for_a_while_gets_all_of_it_later(
    tmp_path: Path, extractor: Extractor, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(keeping, "_SECONDS", 0.01)
    broken = [True]

    def write(self: Any, documents: Any, run: Any = None) -> None:
        if broken.pop() if broken else False:
            raise UsageError("another process is writing it")
        write_down(self, documents, run)

    write_down = keeping.DocumentWriter.write
    monkeypatch.setattr(keeping.DocumentWriter, "write", write)
    keeper = keeping.Keeper(str(tmp_path / "facts.db"), Metrics())
    with caplog.at_level(logging.WARNING):
        keeper.keep("m", extractor(TEXT), Task(TEXT))
        while broken:
            time.sleep(0.005)
        keeper.close()
    assert len(rows(str(tmp_path / "facts.db"))) == 1
    assert "store cannot be written" in caplog.messages


def test_beyond_its_bound_documents_are_let_go_and_counted(
    tmp_path: Path, extractor: Extractor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "MOST_WAITING", 2 * len(TEXT))
    monkeypatch.setattr(keeping, "_SECONDS", 60.0)
    metrics = Metrics()
    keeper = keeping.Keeper(str(tmp_path / "facts.db"), metrics)
    for name in "abcd":
        keeper.keep("m", replace(extractor(TEXT), id=name), Task(TEXT, name))
    keeper.close()
    assert [name for name, _ in rows(str(tmp_path / "facts.db"))] == ["a", "b"]
    counted = metrics.exposition().decode()
    assert "biaffinity_documents_kept_total 2.0" in counted
    assert "biaffinity_documents_not_kept_total 2.0" in counted
