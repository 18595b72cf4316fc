"""Memory that is free goes back to the system."""

from __future__ import annotations

import asyncio

import pytest

from biaffinity.serve import trimming
from biaffinity.serve.trimming import Trimmer


def test_however_many_ask_it_is_done_once_and_again_when_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []
    monkeypatch.setattr(trimming, "_system_trim", lambda: given.append)
    monkeypatch.setattr(trimming, "SECONDS", 0.001)

    async def main() -> None:
        trimmer = Trimmer()
        for times in (1, 2):
            for _ in range(100):
                trimmer.soon()
            while len(given) < times:
                await asyncio.sleep(0.001)
        await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(main(), 10))
    assert given == [0, 0]


def test_where_the_system_has_no_such_thing_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(trimming, "_system_trim", lambda: None)
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: asked.append("an event loop"))
    Trimmer().soon()
    assert asked == []
