"""Texts that wait their turn, and how long that will take them."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

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
    """A text that was accepted, where its answer goes, what it counts for, and the lane that it counts in."""

    task: Task
    answer: asyncio.Future[bytes]
    size: int = field(init=False)
    lane: Lane = field(init=False)

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
    """Texts that wait, and those of them that are being read.

    For every character a text gives way, so many seconds, to shorter ones that come after it. So whoever asks
    for little waits for little, however many ask for more; and nobody is overtaken for ever. Texts that are
    read together may have ``most_pairs`` pairs of entities.
    """

    def __init__(self, gives_way: float = 0.0, most_pairs: int | None = None) -> None:
        self.most_pairs = most_pairs
        self.filled = asyncio.Event()
        self.unanswered = 0  # characters
        self.since: float | None = None  # when the batch was begun that is being read
        self._gives_way = gives_way
        self._queue: list[tuple[float, int, Waiting]] = []  # a heap: by when, then by who came first
        self._numbers = count()
        self._batch: list[Waiting] = []
        self._rate = _RATE

    def __len__(self) -> int:
        return len(self._queue)

    def add(self, item: Waiting) -> None:
        """Let a text wait."""
        item.lane = self
        due = time.perf_counter() + item.size * self._gives_way
        heappush(self._queue, (due, next(self._numbers), item))
        self.unanswered += item.size
        self.filled.set()

    def take(self) -> list[Waiting]:
        """The next batch: some of those that wait, as long as anyone still waits for their answers."""
        queue, size = self._queue, 0
        self._batch = []
        while queue and (not self._batch or size + queue[0][-1].size <= BATCH_CHARACTERS):
            *_, item = heappop(queue)
            if not item.answer.done():
                self._batch.append(item)
                size += item.size
        return self._batch

    def release(self, item: Waiting) -> None:
        """Count a text no more."""
        self.unanswered -= item.size

    def is_full(self) -> bool:
        """Whether a whole batch waits."""
        return sum(item.size for *_, item in self._queue) >= BATCH_CHARACTERS

    def seconds(self, more: int = 0) -> float:
        """How long it will take to answer all of them, and ``more`` characters, at the rate of late."""
        return (self.unanswered + more) / self._rate

    def took(self, characters: int, seconds: float) -> None:
        """Learn from a batch."""
        self._rate += _NEWEST * (characters / seconds - self._rate)

    def give_up(self, error: Exception) -> None:
        """Tell everyone that there will be no answer."""
        for item in (*self._batch, *(item for *_, item in self._queue)):
            item.settle(error)
        self._queue.clear()
