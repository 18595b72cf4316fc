"""The OpenAPI document: true of every answer, and readable by people."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from biaffinity import Extractor
from biaffinity.serve.problems import MEANINGS


@pytest.fixture(scope="module")
def document(client: TestClient) -> dict[str, Any]:
    answer: dict[str, Any] = client.get("/openapi.json").json()
    return answer


def test_errors_are_described_in_their_one_shape(document: dict[str, Any]) -> None:
    for operations in document["paths"].values():
        for operation in operations.values():
            for status, answer in operation["responses"].items():
                if status != "200":
                    assert int(status) in MEANINGS
                    schema = answer["content"]["application/json"]["schema"]
                    assert schema == {"$ref": "#/components/schemas/ErrorAnswer"}


def test_the_types_of_the_model_are_named(document: dict[str, Any], extractor: Extractor) -> None:
    options = document["components"]["schemas"]["GivenEntity"]["properties"]["type"]["anyOf"]
    assert options[0]["enum"] == list(extractor.entity_types)
