"""Requests made up from the OpenAPI document by schemathesis: every answer is one that it describes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from starlette.testclient import TestClient


@pytest.mark.parametrize(
    ("path", "mode"),
    [("/v1/extract", "POSITIVE"), ("/v1/extract", "NEGATIVE"), ("/v1/extract/stream", "POSITIVE")],
)
def test_every_answer_to_what_is_sent_is_one_that_is_described(
    client: TestClient, path: str, mode: str
) -> None:
    schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis")
    from serve import lines_serializer  # noqa: F401 (registers itself)

    config = schemathesis.Config.from_path(Path(__file__).with_name("schemathesis.toml"))
    schema = schemathesis.openapi.from_dict(client.get("/openapi.json").json(), config=config)
    cases = schema[path]["POST"].as_strategy(generation_mode=schemathesis.GenerationMode[mode])

    @settings(
        max_examples=60,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases)
    def check(case: Any) -> None:
        request = case.as_transport_kwargs(base_url="http://testserver")
        body = {"json": request["json"]} if "json" in request else {"content": request.get("data")}
        headers = {name: value for name, value in request["headers"].items() if value is not None}
        answer = client.request(request["method"], request["url"], headers=headers, **body)
        case.validate_response(answer)

    check()


@pytest.mark.parametrize("path", ["/v1/model", "/v1/models", "/health/live", "/health/ready", "/metrics"])
def test_every_answer_to_what_is_asked_is_one_that_is_described(client: TestClient, path: str) -> None:
    schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis")
    schema = schemathesis.openapi.from_dict(client.get("/openapi.json").json())
    answer = client.get(path)
    assert answer.status_code == 200
    schema[path]["GET"].Case().validate_response(answer)
