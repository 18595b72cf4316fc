"""A service over a small store of facts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("rapidfuzz", reason="needs the extra facts")

from starlette.testclient import TestClient

from biaffinity import Extractor
from biaffinity.serve import Settings, create_app
from facts.told import told

KEY = "a-key-of-some-length"


@pytest.fixture(scope="module")
def news_store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store that is only read."""
    return told(str(tmp_path_factory.mktemp("facts") / "news.db"))


@pytest.fixture(scope="module")
def asker(news_store: str, extractor: Extractor) -> Iterator[TestClient]:
    """A client of a service without keys."""
    with TestClient(create_app(Settings(store=news_store), extractor)) as client:
        yield client


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    path = tmp_path / "keys.txt"
    path.write_text(f"{KEY}\n")
    return path
