"""A thread that does one thing after another for an event loop, and never keeps its process from ending."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Hand(Generic[T]):
    """One thread; its process ends without it, unlike without an executor's, whatever it has in hand."""

    def __init__(self, name: str) -> None:
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    async def do(self, function: Callable[[], T]) -> T:
        """What a function gives or raises when called in the thread."""
        loop = asyncio.get_running_loop()
        result: asyncio.Future[T] = loop.create_future()

        def work() -> None:
            value: T | Exception
            try:
                value = function()
            except Exception as error:
                value = error
            if not loop.is_closed():
                loop.call_soon_threadsafe(_settle, result, value)

        self._work.put(work)
        return await result

    async def end(self, patience: float) -> bool:
        """Take on nothing more; whether the thread ended within so many seconds."""
        self._work.put(None)
        await asyncio.to_thread(self._thread.join, patience)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()


def _settle(result: asyncio.Future[T], value: T | Exception) -> None:
    if result.done():  # it was given up
        return
    if isinstance(value, Exception):
        result.set_exception(value)
    else:
        result.set_result(value)
