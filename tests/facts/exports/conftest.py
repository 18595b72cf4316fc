"""The facts that are exported: those of a small store, and of one that another model filled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from biaffinity import facts
from biaffinity.facts import Facts
from told import told


@pytest.fixture
def news_facts(tmp_path: Path) -> Iterator[Facts]:
    with facts.open(told(str(tmp_path / "news.db"))) as opened:
        yield opened
