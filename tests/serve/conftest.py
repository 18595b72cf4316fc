"""The service in this process, over the embedded model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi", reason="needs the extra serve")
pytest.importorskip("httpx", reason="needs httpx to ask the service")

from starlette.testclient import TestClient

from biaffinity import Extractor
from biaffinity.serve import Settings, create_app


@pytest.fixture(scope="session")
def extractor() -> Extractor:
    return Extractor.load()


@pytest.fixture(scope="session")
def client(extractor: Extractor) -> Iterator[TestClient]:
    """A client of a service that reads 2,000 characters at a time."""
    with TestClient(create_app(Settings(max_chars=2000), extractor)) as client:
        yield client
