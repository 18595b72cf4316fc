"""Large bodies are taken apart one at a time, and small requests come in between."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise

import pytest

from biaffinity.serve.turns import SHORT, Turns

LARGE = b"x" * (SHORT + 1)


def test_a_small_body_does_not_wait_for_large_ones() -> None:
    taken: list[int] = []

    def read(body: bytes) -> None:
        time.sleep(0.01 if len(body) > SHORT else 0)
        taken.append(len(body))

    async def main() -> None:
        turns = Turns()
        large = [asyncio.ensure_future(turns.take(read, LARGE)) for _ in range(5)]
        await asyncio.sleep(0)
        await turns.take(read, b"small")
        await asyncio.gather(*large)

    asyncio.run(main())
    assert taken == [len(LARGE), 5, *[len(LARGE)] * 4]


def test_after_a_large_body_others_have_as_long_as_it_took() -> None:
    times: list[tuple[float, float]] = []

    def read(body: bytes) -> None:
        started = time.perf_counter()
        time.sleep(0.02)
        times.append((started, time.perf_counter()))

    async def main() -> None:
        turns = Turns()
        await asyncio.gather(*(turns.take(read, LARGE) for _ in range(3)))

    asyncio.run(main())
    pauses = [later[0] - earlier[1] for earlier, later in pairwise(times)]
    assert len(pauses) == 2
    assert min(pauses) >= 0.019


def test_a_body_that_cannot_be_read_gives_its_turn_back() -> None:
    def read(body: bytes) -> None:
        raise ValueError

    async def main() -> None:
        turns = Turns()
        for _ in range(2):
            with pytest.raises(ValueError):  # noqa: PT011 (it has nothing to say)
                await asyncio.wait_for(turns.take(read, LARGE), 5)

    asyncio.run(main())
