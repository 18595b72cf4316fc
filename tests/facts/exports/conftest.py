"""The facts that are exported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from biaffinity import facts
from biaffinity.facts import Facts
from facts.told import told


@pytest.fixture
def told_facts(tmp_path: Path) -> Iterator[Facts]:
    """The facts of some news."""
    with facts.open(told(str(tmp_path / "news.db"))) as opened:
        yield opened
