"""What every request passes, whatever it asks."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from biaffinity import Extractor
from biaffinity.serve import Settings, create_app
from biaffinity.serve.logs import JsonLines


class Waiting(Extractor):
    """An extractor that waits to be let go."""

    def __init__(self, whole: Extractor) -> None:
        self.__dict__.update(whole.__dict__)
        self.begun, self.go = threading.Event(), threading.Event()

    def stream(self, texts: Iterable[Any], **options: Any) -> Iterator[Any]:  # type: ignore[override]
        self.begun.set()
        assert self.go.wait(20)
        return super().stream(texts, **options)


def test_more_requests_than_the_bound_are_turned_away(extractor: Extractor) -> None:
    waiting = Waiting(extractor)
    with (
        TestClient(create_app(Settings(max_requests=1), waiting)) as client,
        ThreadPoolExecutor(1) as thread,
    ):
        accepted = thread.submit(client.post, "/v1/extract", json={"text": "Ghent"})
        assert waiting.begun.wait(20)
        refused = client.post("/v1/extract", json={"text": "Lyon"})
        healthy = client.get("/health/ready")
        waiting.go.set()
        assert accepted.result().status_code == 200
        assert client.post("/v1/extract", json={"text": "Lyon"}).status_code == 200
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "too_busy")
    assert int(refused.headers["retry-after"]) >= 1
    assert healthy.status_code == 200


def test_a_fault_of_ours_is_one_answer_and_one_line_of_log(
    extractor: Extractor, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(self: object) -> bytes:
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr("biaffinity.serve.metrics.Metrics.exposition", fail)
    caplog.set_level(logging.INFO)
    with TestClient(create_app(Settings(), extractor)) as client:
        answer = client.get("/metrics")
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "failed")
    assert "x-content-type-options" in answer.headers
    [line] = [json.loads(JsonLines().format(r)) for r in caplog.records if r.levelname == "ERROR"]
    assert line["request"] == answer.headers["x-request-id"]
    assert line["error"] == "ZeroDivisionError"
    assert "secret" not in json.dumps(line)


def test_the_log_has_a_line_per_request_without_what_the_client_wrote(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    client.post("/v1/extract?note=hemlock", json={"text": "hemlock"})
    client.get("/hemlock")
    client.request("HEMLOCK", "/v1/model")
    lines = [json.loads(JsonLines().format(r)) for r in caplog.records if r.name == "biaffinity.serve.gate"]
    assert [(line["route"], line["status"]) for line in lines] == [
        ("/v1/extract", 200),
        ("other", 404),
        ("/v1/model", 405),
    ]
    assert "hemlock" not in json.dumps(lines).lower()


def test_requests_are_counted_by_route_and_status(extractor: Extractor) -> None:
    with TestClient(create_app(Settings(), extractor)) as client:
        for _ in range(3):
            client.post("/v1/extract", json={"text": "Ghent"})
        client.post("/v1/extract", json={})
        client.get("/some/where")
        lines = client.get("/metrics").text.splitlines()
    assert 'biaffinity_requests_total{route="/v1/extract",status="200"} 3.0' in lines
    assert 'biaffinity_requests_total{route="/v1/extract",status="422"} 1.0' in lines
    assert 'biaffinity_requests_total{route="other",status="404"} 1.0' in lines
    assert "biaffinity_batch_texts_sum 3.0" in lines
    assert "biaffinity_requests_in_flight 1.0" in lines
    assert "biaffinity_waiting_characters 0.0" in lines
