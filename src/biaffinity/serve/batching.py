"""Texts that arrive together are read together: two bounded lanes, a thread each, over the same extractors.

Small requests go through one lane and large ones through the other, in batches of a bounded size, so that
a large text shares the processor with small ones and never stands before them; among the small ones, short
ones go first, and one that turns out to be full of entities goes over to the large ones. What would make more
wait than the bound, or longer than a request may take, is turned away at once.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from functools import partial

from biaffinity.serve.hands import Hand
from biaffinity.serve.lanes import OVERHEAD, Lane, Waiting
from biaffinity.serve.logs import trace
from biaffinity.serve.metrics import Metrics
from biaffinity.serve.problems import ServiceError, fault
from biaffinity.serve.reading import CrowdedError, Readers, Task

#: Characters, or work like that of so many, of a request that still counts as small.
SMALL = 4_000
#: Pairs of entities that small requests may have which are read together: some hundredths of a second.
MOST_PAIRS = 10_000
#: Seconds without a new request after which a crowd is taken to be complete.
LINGER = 0.002
#: Of the time that a request may take, what may be spent before it: the rate it is told by can halve.
_FORESEEN = 0.4
#: Of that time, what the longest of the small requests gives way to shorter ones.
_GIVES_WAY = 0.1
#: Of both bounds, what streams may fill: they can wait, others are turned away.
_FOR_STREAMS = 0.5
#: Seconds that a stopping service waits for what its threads are at; then it goes without them.
_PATIENCE = 0.5

_log = logging.getLogger(__name__)


class Batcher:
    """The way from requests to the extractors; it belongs to one event loop."""

    def __init__(self, readers: Readers, metrics: Metrics, *, max_waiting: int, timeout: float) -> None:
        self._readers = readers
        self._metrics = metrics
        self._max_waiting = max_waiting
        self._timeout = timeout
        self._small, self._large = Lane(_GIVES_WAY * timeout / SMALL, MOST_PAIRS), Lane()
        self._room = asyncio.Event()
        self._hands: list[Hand[list[bytes | Exception]]] = []
        self._work = [asyncio.create_task(self._serve(lane)) for lane in (self._small, self._large)]

    async def close(self) -> None:
        """End the lanes; whoever still waits is told."""
        for work in self._work:
            work.cancel()
        await asyncio.gather(*self._work, return_exceptions=True)
        for lane in (self._small, self._large):
            lane.give_up(ServiceError(503, "the service is stopping", remedy="send it again"))
        ended = await asyncio.gather(*(hand.end(_PATIENCE) for hand in self._hands))
        if not all(ended):
            _log.error("stopped while a text was being read")

    async def read(self, tasks: Sequence[Task], *, listed: bool) -> list[bytes]:
        """The documents of one request as JSON, in order; raises where it is turned away or fails.

        Of ``listed`` texts the error names the one that it is about.
        """
        size = sum(task.weight + OVERHEAD for task in tasks)
        lane = self._small if size <= SMALL else self._large
        if not self._has_room(lane, size, 1.0):
            raise self._too_busy(lane)
        answers = [self._accept(task, lane) for task in tasks]
        documents: list[bytes] = []
        expiry = asyncio.get_running_loop().call_later(self._timeout, self._expire, answers)
        try:
            for answer in answers:
                documents.append(await answer)  # noqa: PERF401 (what is there tells where it failed)
            return documents
        except ServiceError as error:
            if listed and error.status != 504:
                raise error.at(f"texts[{len(documents)}]") from None
            raise
        finally:
            expiry.cancel()
            for answer in answers:  # nobody asks for what is left: its text is not read
                answer.cancel()

    async def read_when_there_is_room(self, task: Task) -> asyncio.Future[bytes]:
        """Accept one text of a stream as soon as the bounds allow; its document is awaited elsewhere."""
        while not self._has_room(self._large, task.weight + OVERHEAD, _FOR_STREAMS):
            self._room.clear()
            await self._room.wait()
        return self._accept(task, self._large)

    def seconds_to_wait(self) -> int:
        """When to send again what was turned away for the number of requests."""
        return _whole_seconds(self._small)

    def stuck(self) -> bool:
        """Whether a lane has been at one batch for longer than any request may take."""
        now = time.perf_counter()
        lanes = (self._small, self._large)
        return any(lane.since is not None and now - lane.since > self._timeout for lane in lanes)

    def _has_room(self, lane: Lane, size: int, share: float) -> bool:
        """Whether so many characters more can be held and read in time; one request alone always can."""
        if not lane.unanswered:
            return True
        held = self._small.unanswered + self._large.unanswered
        in_time = lane.seconds(size) <= share * _FORESEEN * self._timeout
        return in_time and held + size <= share * self._max_waiting

    def _too_busy(self, lane: Lane) -> ServiceError:
        seconds = _whole_seconds(lane)
        return ServiceError(
            429,
            f"{lane.unanswered:,} characters are waiting already",
            remedy=f"send it again in {seconds} s",
            headers={"Retry-After": str(seconds)},
        )

    def _accept(self, task: Task, lane: Lane) -> asyncio.Future[bytes]:
        item = Waiting(task, asyncio.get_running_loop().create_future())
        item.answer.add_done_callback(partial(self._release, item))
        lane.add(item)
        self._metrics.waiting.inc(item.size)
        return item.answer

    def _release(self, item: Waiting, answer: asyncio.Future[bytes]) -> None:
        item.lane.release(item)
        self._metrics.waiting.dec(item.size)
        self._room.set()
        if not answer.cancelled():
            answer.exception()  # seen: an error whose client has left is not an error of ours

    def _expire(self, answers: Sequence[asyncio.Future[bytes]]) -> None:
        error = ServiceError(
            504,
            f"no answer within {self._timeout:g} s",
            remedy="send less text at a time, or send it again later",
        )
        for answer in answers:
            if not answer.done():
                answer.set_exception(error)

    async def _serve(self, lane: Lane) -> None:
        hand: Hand[list[bytes | Exception]] = Hand("extract")
        self._hands.append(hand)
        while True:
            await lane.filled.wait()
            lane.filled.clear()
            await asyncio.sleep(0)  # the requests that came with this one are being read just now
            while batch := lane.take():
                lane.since = started = time.perf_counter()
                tasks, size = [item.task for item in batch], sum(item.size for item in batch)
                read = partial(self._readers.read, tasks, partial(_is_wanted, batch), lane.most_pairs)
                try:
                    results = await hand.do(read)
                except Exception as error:  # no memory for the answers, say: the lane goes on
                    _log.error("batch failed", extra={"fields": trace(error)})
                    results = [fault()] * len(batch)
                lane.since = None
                lane.took(size, time.perf_counter() - started)
                self._metrics.read(len(batch), sum(len(task.text) for task in tasks))
                for item, result in zip(batch, results, strict=True):
                    if not isinstance(result, CrowdedError):
                        item.settle(result)
                    elif not item.answer.done():
                        lane.release(item)
                        self._large.add(item)
                await _linger(lane, crowd=len(batch) > 1)


def _is_wanted(batch: Sequence[Waiting]) -> bool:
    """Whether anyone still waits for an answer."""
    return any(not item.answer.done() for item in batch)


async def _linger(lane: Lane, *, crowd: bool) -> None:
    """Send the answers, and see whether those who got them ask again.

    In a crowd they do, and are worth a moment: else it would fall into two halves, each read while the
    other's answers are on their way, in batches of half the size.
    """
    await asyncio.sleep(0)
    while crowd and not lane.is_full():
        before = len(lane)
        await asyncio.sleep(LINGER)
        crowd = len(lane) > before


def _whole_seconds(lane: Lane) -> int:
    return max(1, min(60, round(lane.seconds())))
