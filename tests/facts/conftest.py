"""Stores with invented news in them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("rapidfuzz", reason="needs the extra facts")

from biaffinity import facts
from biaffinity.facts import Facts
from facts.invented import NEWS, write


@pytest.fixture
def news_facts(store: str) -> Iterator[Facts]:
    """The facts of the invented news, in either database."""
    write(store, *NEWS)
    with facts.open(store) as opened:
        opened.update()
        yield opened
