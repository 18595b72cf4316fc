"""What a request may ask for, what happens to work that nobody waits for, and an end that comes in time."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from biaffinity import Extractor
from biaffinity.serve import Settings, create_app
from biaffinity.serve.problems import ServiceError
from biaffinity.serve.reading import AbandonedError, Reader, Task
from biaffinity.serve.schemas import GivenEntity
from biaffinity.serve.settings import LONGEST_GIVEN

TYPES = ("Org", "Loc")


def crowd(count: int) -> dict[str, Any]:
    """A request for a sentence in which nearly everything may be related to everything."""
    entities = [
        {"start_char": 5 * i, "end_char": 5 * i + 4, "type": TYPES[i % len(TYPES)]} for i in range(count)
    ]
    return {"text": "Oslo " * count, "entities": entities, "min_score": 0}


@pytest.fixture(scope="module")
def wide(extractor: Extractor) -> Iterator[TestClient]:
    """A client of a service with the limits that services have."""
    with TestClient(create_app(Settings(), extractor)) as client:
        yield client


def test_more_entities_in_a_sentence_than_the_limit_are_refused_by_its_name(wide: TestClient) -> None:
    answer = wide.post("/v1/extract", json={**crowd(512), "drawing": {}})
    assert answer.status_code == 413
    assert "max_entities" in answer.json()["error"]["message"]
    assert "--max-entities" in answer.json()["error"]["remedy"]


def test_entities_that_the_model_finds_count_as_well(extractor: Extractor) -> None:
    with TestClient(create_app(Settings(max_entities=3), extractor)) as client:
        answer = client.post("/v1/extract", json={"texts": ["Oslo.", "Oslo, Paris, Rome, Bergen and Lima."]})
        assert answer.status_code == 413
        assert answer.json()["error"]["where"] == "texts[1]"


def test_more_relations_than_are_drawn_are_answered_without_a_drawing_only(wide: TestClient) -> None:
    asked = crowd(40)
    assert len(wide.post("/v1/extract", json=asked).json()["documents"][0]["relations"]) > 1_000
    answer = wide.post("/v1/extract", json={**asked, "drawing": {}})
    assert answer.status_code == 413
    assert "max_arcs" in answer.json()["error"]["message"]


def test_more_relations_than_the_limit_are_refused(extractor: Extractor) -> None:
    with TestClient(create_app(Settings(max_relations=5), extractor)) as client:
        answer = client.post("/v1/extract", json=crowd(20))
    assert (answer.status_code, "max_relations" in answer.json()["error"]["message"]) == (413, True)


def test_unlikely_relations_count_as_well_before_they_are_written_down(
    wide: TestClient, extractor: Extractor
) -> None:
    asked = {"text": "Mayor Tove Lind of Solund, Norway, met Paul Okafor of the Harrow Institute in Boston."}
    decided = len(wide.post("/v1/extract", json=asked).json()["documents"][0]["relations"])
    with TestClient(create_app(Settings(max_relations=decided), extractor)) as client:
        assert client.post("/v1/extract", json=asked).status_code == 200
        answer = client.post("/v1/extract", json={**asked, "min_score": 0})
    assert answer.status_code == 413
    message = answer.json()["error"]["message"]
    assert re.fullmatch(rf"\d+ relations in one sentence, at most {decided} \(max_relations\)", message)


def test_an_entity_longer_than_a_sentence_can_be_is_refused(wide: TestClient) -> None:
    entity = {"start_char": 0, "end_char": LONGEST_GIVEN + 1}
    answer = wide.post("/v1/extract", json={"texts": ["a", {"text": "a " * 2000, "entities": [entity]}]})
    assert (answer.status_code, answer.json()["error"]["where"]) == (413, "texts[1].entities[0]")


def test_of_a_body_full_of_faults_one_is_told(wide: TestClient) -> None:
    body = b'{"text": "a", "entities": [' + b"{}," * 100_000 + b"{}]}"
    answer = wide.post("/v1/extract", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert "more" not in answer.json()["error"]["message"].replace("1 more", "")


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ("{%s}", None),
        ('{"text": "a", "min_score": {%s}}', "min_score"),
        ('{"text": "a", "drawing": {%s}}', "drawing"),
        ('{"texts": [{%s}]}', "texts[0]"),
    ],
)
def test_of_an_object_full_of_fields_no_field_is_looked_at(
    wide: TestClient, body: str, where: str | None
) -> None:
    fields = ",".join(f'"{number}": 9' for number in range(50_000))
    answer = wide.post("/v1/extract", content=body % fields, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["error"].get("where") == where
    assert answer.json()["error"]["message"] == "more than 1,000 fields"


def test_the_limits_are_told(wide: TestClient) -> None:
    told = wide.get("/v1/model").json()
    assert {name: told[name] for name in ("max_entities", "max_relations", "max_arcs")} == {
        "max_entities": 150,
        "max_relations": 5_000,
        "max_arcs": 1_000,
    }


def test_work_that_nobody_waits_for_stops_before_its_next_batch(extractor: Extractor) -> None:
    asked = []

    def wanted() -> bool:
        asked.append(True)
        return len(asked) < 3

    texts = [Task("Ilka Roe lives in Ghent. " * 200) for _ in range(4)]  # some batches of 512 tokens
    answers = Reader(extractor, Settings()).read(texts, wanted)
    assert all(isinstance(answer, AbandonedError) for answer in answers)
    assert len(asked) == 3


def test_one_text_beyond_a_limit_does_not_fail_its_neighbours(extractor: Extractor) -> None:
    entities = [GivenEntity(**entity) for entity in crowd(30)["entities"]]
    tasks = [Task("Ghent"), Task("Oslo " * 30, entities=entities), Task("Lyon"), Task("Lima")]
    one, refused, two, three = Reader(extractor, Settings(max_entities=20)).read(tasks)
    assert isinstance(refused, ServiceError)
    assert [json.loads(answer)["text"] for answer in (one, two, three)] == ["Ghent", "Lyon", "Lima"]  # type: ignore[arg-type]


class Stuck(Extractor):
    """An extractor that never comes back before it is let go."""

    def __init__(self, whole: Extractor) -> None:
        self.__dict__.update(whole.__dict__)
        self.go = threading.Event()

    def stream(self, texts: Iterable[Any], **options: Any) -> Iterator[Any]:  # type: ignore[override]
        assert self.go.wait(20)
        return super().stream(texts, **options)


def test_a_service_that_is_stuck_is_not_ready(extractor: Extractor) -> None:
    stuck = Stuck(extractor)
    with TestClient(create_app(Settings(timeout=0.2), stuck)) as client, ThreadPoolExecutor(1) as thread:
        late = thread.submit(client.post, "/v1/extract", json={"text": "Ghent"})
        assert late.result(10).status_code == 504
        assert client.get("/health/ready").status_code == 503
        assert client.get("/health/live").status_code == 200
        stuck.go.set()
        for _ in range(100):
            if client.get("/health/ready").status_code == 200:
                break
            time.sleep(0.02)
        assert client.post("/v1/extract", json={"text": "Ghent"}).status_code == 200


STUCK_SERVICE = """
import threading
from biaffinity import Extractor
from biaffinity.serve import Settings, run
def stream(self, texts, **options):
    print("stuck", flush=True)
    while True:
        pass
Extractor.stream = stream
run(Settings(port={port}, grace=1.5))
"""


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_is_obeyed_in_time_whatever_runs(free_port: int, stop: signal.Signals) -> None:
    import httpx

    script = STUCK_SERVICE.format(port=free_port)
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            for _ in range(1200):
                try:
                    assert httpx.get(f"http://127.0.0.1:{free_port}/health/ready").status_code == 200
                    break
                except httpx.HTTPError:
                    time.sleep(0.1)
            with ThreadPoolExecutor(1) as thread:
                address = f"http://127.0.0.1:{free_port}/v1/extract"
                asked = thread.submit(httpx.post, address, json={"text": "Ghent"}, timeout=20)
                assert process.stdout is not None
                assert process.stdout.readline() == "stuck\n"
                process.send_signal(stop)
                process.wait(10)  # a thread that never ends would keep it for ever
                assert isinstance(asked.exception(10) or asked.result(), httpx.HTTPError | httpx.Response)
        finally:
            process.kill()
