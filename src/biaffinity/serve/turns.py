"""Large bodies are taken apart one at a time.

While JSON is taken apart the process does nothing else: for a body of half a megabyte that is all brackets, a
tenth of a second. Small requests come in between.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

#: Bytes of a body that is taken apart at once: a few milliseconds, whatever it holds.
SHORT = 1 << 14


class Turns:
    """After each large body, others have as long as it took."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def take(self, read: Callable[[bytes], T], body: bytes) -> T:
        """What ``read`` makes of a body when its turn has come."""
        if len(body) <= SHORT:
            return read(body)
        await self._turn.acquire()
        started = time.perf_counter()
        try:
            return read(body)
        finally:
            pause = time.perf_counter() - started
            asyncio.get_running_loop().call_later(pause, self._turn.release)
