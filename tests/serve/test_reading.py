from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from biaffinity import Extractor
from biaffinity.serve import Settings, create_app
from biaffinity.serve.logs import JsonLines
from biaffinity.serve.problems import ServiceError
from biaffinity.serve.reading import Reader, Task

POISON = "Ilka Roe drank hemlock"


class Poisonable(Extractor):
    """An extractor that chokes on one text, and says so with that text in its message."""

    def __init__(self, whole: Extractor) -> None:
        self.__dict__.update(whole.__dict__)

    def stream(self, texts: Iterable[Any], **options: Any) -> Iterator[Any]:  # type: ignore[override]
        for document, item in super().stream(texts, **options):
            if document.text == POISON:
                raise ZeroDivisionError(POISON)
            yield document, item


def test_one_poisonous_text_does_not_fail_its_neighbours(extractor: Extractor) -> None:
    reader = Reader(Poisonable(extractor))
    first, failed, last = reader.read([Task("Ghent"), Task(POISON), Task("Lyon", id="x")])
    assert isinstance(failed, ServiceError)
    assert failed.status == 500
    assert isinstance(first, bytes)
    assert isinstance(last, bytes)
    assert (json.loads(first)["text"], json.loads(last)["id"]) == ("Ghent", "x")


def test_a_failure_is_logged_without_the_text(extractor: Extractor, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with TestClient(create_app(Settings(), Poisonable(extractor))) as client:
        assert client.post("/v1/extract", json={"text": POISON}).status_code == 500
    lines = [json.loads(JsonLines().format(record)) for record in caplog.records]
    assert any(line.get("error") == "ZeroDivisionError" for line in lines)
    for line in lines:
        assert "hemlock" not in json.dumps(line)


def test_scores_are_asked_for_text_by_text_within_one_batch(extractor: Extractor) -> None:
    from biaffinity.extraction.thresholds import Thresholds

    text = "Ilka Roe lives in Ghent."
    strict = Thresholds.read(1.0, extractor.entity_types, extractor.relation_types)
    loose, none = Reader(extractor).read([Task(text), Task(text, thresholds=strict)])
    assert isinstance(loose, bytes)
    assert isinstance(none, bytes)
    assert json.loads(loose)["entities"]
    assert not json.loads(none)["entities"]
