"""Texts that wait their turn, and how long that will take them."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field

from biaffinity.serve.reading import Task

#: Characters that a lane reads at one time: some tenths of a second of work.
BATCH_CHARACTERS = 24_000
#: Counted for every text beside its own characters, for what it costs to hold even an empty one.
OVERHEAD = 32
#: Characters a second that a lane is taken to read until its first batches tell.
_RATE = 25_000.0
_NEWEST = 0.2  # what the last batch weighs in the rate


@dataclass(slots=True, eq=False)
class Waiting:
    """A text that was accepted, where its answer goes, and what it counts for."""

    task: Task
    answer: asyncio.Future[bytes]
    size: int = field(init=False)

    def __post_init__(self) -> None:
        self.size = self.task.weight + OVERHEAD

    def settle(self, result: bytes | Exception) -> None:
        """Answer, unless that came too late or the client has left."""
        if self.answer.done():
            return
        if isinstance(result, bytes):
            self.answer.set_result(result)
        else:
            self.answer.set_exception(result)


class Lane:
    """Texts in the order in which they came, and those of them that are being read."""

    def __init__(self) -> None:
        self.filled = asyncio.Event()
        self.unanswered = 0  # characters
        self.since: float | None = None  # when the batch was begun that is being read
        self._queue: deque[Waiting] = deque()
        self._batch: list[Waiting] = []
        self._rate = _RATE

    def __len__(self) -> int:
        return len(self._queue)

    def add(self, item: Waiting) -> None:
        """Let a text wait."""
        self._queue.append(item)
        self.unanswered += item.size
        self.filled.set()

    def take(self) -> list[Waiting]:
        """The next batch: some of those that wait, as long as anyone still waits for their answers."""
        queue, size = self._queue, 0
        self._batch = []
        while queue and (not self._batch or size + queue[0].size <= BATCH_CHARACTERS):
            item = queue.popleft()
            if not item.answer.done():
                self._batch.append(item)
                size += item.size
        return self._batch

    def is_full(self) -> bool:
        """Whether a whole batch waits."""
        return sum(item.size for item in self._queue) >= BATCH_CHARACTERS

    def seconds(self, more: int = 0) -> float:
        """How long it will take to answer all of them, and ``more`` characters, at the rate of late."""
        return (self.unanswered + more) / self._rate

    def took(self, characters: int, seconds: float) -> None:
        """Learn from a batch."""
        self._rate += _NEWEST * (characters / seconds - self._rate)

    def give_up(self, error: Exception) -> None:
        """Tell everyone that there will be no answer."""
        for item in (*self._batch, *self._queue):
            item.settle(error)
        self._queue.clear()
