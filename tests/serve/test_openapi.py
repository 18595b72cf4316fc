"""The OpenAPI document: true of every answer, and readable by people."""

from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from biaffinity import Extractor
from biaffinity.serve.problems import MEANINGS


@pytest.fixture(scope="module")
def document(client: TestClient) -> dict[str, Any]:
    answer: dict[str, Any] = client.get("/openapi.json").json()
    return answer


def test_the_page_names_every_address_status_and_field(client: TestClient, document: dict[str, Any]) -> None:
    page = client.get("/docs").text
    for path, operations in document["paths"].items():
        assert f"{path}</code>" in page
        for operation in operations.values():
            assert all(f"<td>{status}</td>" in page for status in operation["responses"])
    for schema in document["components"]["schemas"].values():
        assert all(f"<code>{field}</code>" in page for field in schema.get("properties", ()))


def test_every_link_of_the_page_leads_somewhere(client: TestClient) -> None:
    page = client.get("/docs").text
    anchors = set(re.findall(r'id="([^"]+)"', page))
    links = set(re.findall(r'href="#([^"]+)"', page))
    assert links
    assert links <= anchors


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
