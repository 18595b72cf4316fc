"""The service in this process, over the embedded model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("fastapi", reason="needs the extra serve")
pytest.importorskip("httpx", reason="needs httpx to ask the service")

from starlette.testclient import TestClient

from biaffinity import Extractor
from biaffinity.serve import Settings, create_app

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="session")
def extractor() -> Extractor:
    return Extractor.load()


@pytest.fixture(scope="session")
def client(extractor: Extractor) -> Iterator[TestClient]:
    """A client of a service that reads 2,000 characters at a time."""
    with TestClient(create_app(Settings(max_chars=2000), extractor)) as client:
        yield client


@pytest.fixture(scope="module")
def address(extractor: Extractor) -> Iterator[str]:
    """The address of a service for browsers, which reads 2,000 characters at a time."""
    from serve.visit import serving

    with serving(Settings(max_chars=2000), extractor) as at:
        yield at


@pytest.fixture
def page(browser: Browser, address: str, extractor: Extractor) -> Iterator[Page]:
    """The service's page, with its first example read."""
    from serve.visit import FIRST, found, visiting

    with visiting(browser, address) as (page, _):
        found(page, extractor(FIRST))
        yield page
