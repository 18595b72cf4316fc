"""Questions to a store, answered by a few threads, so that the event loop never waits for a database.

Each thread has a connection of its own that cannot change anything. A question that takes too long is
interrupted within its statement, and its thread is free again.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

from biaffinity import facts
from biaffinity.errors import BiaffinityError, UsageError
from biaffinity.facts import Facts
from biaffinity.serve.problems import ServiceError

#: Threads, and so connections: a question takes milliseconds, most of them without Python's lock.
THREADS = 4
#: Questions that may wait for a thread.
MOST_WAITING = 256

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class _Asked:
    """A question, and where its answer goes."""

    question: Callable[[Facts], Any]
    answer: Future[Any] = field(default_factory=Future)


class Asking:
    """The way to a store that is only read."""

    def __init__(self, store: str, timeout: float) -> None:
        self._store = store
        self._timeout = timeout
        self._waiting: queue.SimpleQueue[_Asked | None] = queue.SimpleQueue()
        self._at_work: dict[_Asked, Facts] = {}
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._work, name=f"facts-{number}", daemon=True)
            for number in range(THREADS)
        ]
        for thread in self._threads:
            thread.start()

    async def ask(self, question: Callable[[Facts], T]) -> T:
        """What a question gives or raises; an error where there is no answer in time."""
        if self._waiting.qsize() >= MOST_WAITING:
            raise ServiceError(
                429,
                f"{MOST_WAITING:,} questions are waiting already",
                remedy="send it again in 1 s",
                headers={"Retry-After": "1"},
            )
        asked = _Asked(question)
        self._waiting.put(asked)
        try:
            answer: T = await asyncio.wait_for(asyncio.wrap_future(asked.answer), self._timeout)
            return answer
        except (TimeoutError, asyncio.TimeoutError):  # two until Python 3.11
            raise ServiceError(
                504,
                f"the store did not answer within {self._timeout:g} s",
                remedy="ask for less: a relation, a higher min_score, a shorter path",
            ) from None
        finally:
            self._give_up(asked)

    async def close(self, patience: float = 1.0) -> None:
        """Answer nothing more; what is still asked is interrupted."""
        for _ in self._threads:
            self._waiting.put(None)
        with self._lock:
            for store in self._at_work.values():
                store.database.interrupt()
        for thread in self._threads:
            await asyncio.to_thread(thread.join, patience)

    def _give_up(self, asked: _Asked) -> None:
        """End the work on a question that nobody waits for; under the lock, so that it can be no other."""
        with self._lock:
            asked.answer.cancel()
            if asked in self._at_work:
                self._at_work[asked].database.interrupt()

    def _work(self) -> None:
        store: Facts | None = None
        while (asked := self._waiting.get()) is not None:
            if not asked.answer.set_running_or_notify_cancel():
                continue
            try:
                if store is None:
                    store = facts.open(self._store)
                    store.database.only_read()
                with self._lock:
                    self._at_work[asked] = store
                try:
                    answer = asked.question(store)
                finally:
                    with self._lock:
                        del self._at_work[asked]
                asked.answer.set_result(answer)
            except UsageError as error:
                asked.answer.set_exception(error)
            except BaseException as error:
                asked.answer.set_exception(error)
                if isinstance(error, BiaffinityError) and store is not None:  # a connection may have broken
                    store.close()
                    store = None
        if store is not None:
            store.close()
