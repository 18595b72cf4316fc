"""The queue, with a reader that does what a test tells it to."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from biaffinity.serve.batching import SMALL, Batcher
from biaffinity.serve.lanes import BATCH_CHARACTERS, OVERHEAD, Lane, Waiting
from biaffinity.serve.metrics import Metrics
from biaffinity.serve.problems import ServiceError
from biaffinity.serve.reading import CrowdedError, Task
from biaffinity.serve.schemas import GivenEntity
from biaffinity.serve.settings import MOST_GIVEN, Settings

BAD = "bad"


class Slate:
    """A reader that writes down what it is given, and waits for ``go`` before it reads."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.go = threading.Event()
        self.go.set()

    def read(self, tasks: Sequence[Task], wanted: object, most_pairs: int | None) -> list[bytes | Exception]:
        self.batches.append([task.text for task in tasks])
        assert self.go.wait(20)
        return [
            ServiceError(500, "failed") if task.text == BAD else task.text.upper().encode() for task in tasks
        ]


@asynccontextmanager
async def batching(
    slate: Slate, *, max_waiting: int = 1_000_000, timeout: float = 20.0
) -> AsyncIterator[Batcher]:
    batcher = Batcher(
        slate,  # type: ignore[arg-type]
        Metrics(),
        max_waiting=max_waiting,
        timeout=timeout,
    )
    try:
        yield batcher
    finally:
        slate.go.set()
        await batcher.close()


def asks(batcher: Batcher, *texts: str) -> asyncio.Task[list[bytes]]:
    """A request that is on its way."""
    return asyncio.ensure_future(batcher.read([Task(text) for text in texts], listed=len(texts) > 1))


async def begun(slate: Slate, batches: int = 1) -> None:
    """Wait until so many batches are being read."""
    while len(slate.batches) < batches:
        await asyncio.sleep(0.001)


def test_answers_come_in_the_order_of_the_texts() -> None:
    async def main() -> list[bytes]:
        async with batching(Slate()) as batcher:
            return await batcher.read([Task("b"), Task("a"), Task("c")], listed=True)

    assert asyncio.run(main()) == [b"B", b"A", b"C"]


def test_requests_that_arrive_together_are_read_together() -> None:
    slate = Slate()

    async def main() -> list[list[bytes]]:
        async with batching(slate) as batcher:
            return await asyncio.gather(*(asks(batcher, str(number)) for number in range(40)))

    assert asyncio.run(main()) == [[str(number).encode()] for number in range(40)]
    assert [len(batch) for batch in slate.batches] == [40]


def test_requests_that_arrive_meanwhile_are_the_next_batch() -> None:
    slate = Slate()
    slate.go.clear()

    async def main() -> None:
        async with batching(slate) as batcher:
            first = asks(batcher, "first")
            await begun(slate)
            rest = [asks(batcher, str(number)) for number in range(5)]
            await asyncio.sleep(0)
            slate.go.set()
            await asyncio.gather(first, *rest)

    asyncio.run(main())
    assert slate.batches == [["first"], ["0", "1", "2", "3", "4"]]


def test_a_batch_is_bounded() -> None:
    slate = Slate()
    text = "x" * 900

    async def main() -> None:
        async with batching(slate) as batcher:
            await asyncio.gather(*(asks(batcher, text) for _ in range(50)))

    asyncio.run(main())
    assert sum(map(len, slate.batches)) == 50
    assert max(map(len, slate.batches)) == BATCH_CHARACTERS // (900 + OVERHEAD)


def test_a_text_that_fails_leaves_its_neighbours_alone() -> None:
    async def main() -> list[object]:
        async with batching(Slate()) as batcher:
            requests = (asks(batcher, text) for text in ("a", BAD, "b"))
            return await asyncio.gather(*requests, return_exceptions=True)

    first, failed, last = asyncio.run(main())
    assert (first, last) == ([b"A"], [b"B"])
    assert isinstance(failed, ServiceError)


def test_of_several_texts_the_one_that_fails_is_named() -> None:
    async def main() -> None:
        async with batching(Slate()) as batcher:
            await asks(batcher, "a", BAD)

    with pytest.raises(ServiceError) as caught:
        asyncio.run(main())
    assert caught.value.where == "texts[1]"


def test_more_than_the_bound_is_turned_away_and_told_when_to_come_again() -> None:
    slate = Slate()
    slate.go.clear()

    async def main() -> list[bytes]:
        async with batching(slate, max_waiting=1000) as batcher:
            accepted = asks(batcher, "x" * 900)
            await begun(slate)
            with pytest.raises(ServiceError) as caught:
                await asks(batcher, "y" * 100)
            assert caught.value.status == 429
            assert caught.value.headers is not None
            assert int(caught.value.headers["Retry-After"]) >= 1
            slate.go.set()
            await accepted
            return await asks(batcher, "z" * 100)  # there is room again

    assert asyncio.run(main()) == [b"Z" * 100]


def test_one_request_larger_than_the_bound_is_read_when_nothing_else_waits() -> None:
    async def main() -> list[bytes]:
        async with batching(Slate(), max_waiting=10) as batcher:
            return await asks(batcher, "x" * 100)

    assert asyncio.run(main()) == [b"X" * 100]


def test_a_request_that_takes_too_long_is_told_and_its_text_is_not_read() -> None:
    slate = Slate()
    slate.go.clear()

    async def main() -> None:
        async with batching(slate, timeout=0.05) as batcher:
            asks(batcher, "first").add_done_callback(lambda done: done.exception())
            await begun(slate)
            with pytest.raises(ServiceError) as caught:
                await asks(batcher, "late")
            assert caught.value.status == 504
            slate.go.set()

    asyncio.run(main())
    assert slate.batches == [["first"]]


def test_a_large_text_does_not_stand_before_small_ones() -> None:
    class Heavy(Slate):
        def read(
            self, tasks: Sequence[Task], wanted: object, most_pairs: int | None
        ) -> list[bytes | Exception]:
            if len(tasks[0].text) > SMALL:
                return super().read(tasks, wanted, most_pairs)
            return [b"small"] * len(tasks)

    slate = Heavy()
    slate.go.clear()

    async def main() -> list[bytes]:
        async with batching(slate) as batcher:
            large = asks(batcher, "x" * (SMALL + 1))
            await begun(slate)
            small = await asks(batcher, "a")
            assert not large.done()
            slate.go.set()
            await large
            return small

    assert asyncio.run(main()) == [b"small"]


def given(count: int) -> list[GivenEntity]:
    return [GivenEntity(start_char=5 * i, end_char=5 * i + 4) for i in range(count)]


def test_a_text_alone_weighs_its_characters_and_a_drawing_as_many_again() -> None:
    assert Task("x" * 300).weight == 300
    assert Task("x" * 300, width=800).weight == 600


def test_given_entities_weigh_by_their_pairs_and_more_where_they_are_drawn() -> None:
    few, more, many = (Task("", entities=given(count)).weight for count in (20, 40, 80))
    assert 2 * few < more
    assert 4 * (more - 2 * few) == many - 2 * more  # beside what each costs: four times for twice as many
    assert Task("", entities=given(40), width=800).weight > 5 * more


def test_the_heaviest_request_that_is_taken_can_be_held() -> None:
    heaviest = Task("x" * 100_000, entities=given(MOST_GIVEN), width=800)
    assert heaviest.weight < Settings().max_waiting


def test_a_short_text_that_is_much_work_does_not_stand_before_others() -> None:
    slate = Slate()
    slate.go.clear()
    crowd = Task("Oslo " * 60, entities=given(60), width=800)
    assert len(crowd.text) < SMALL

    async def main() -> None:
        async with batching(slate) as batcher:
            answers = [asyncio.ensure_future(batcher.read([crowd], listed=False)), asks(batcher, "a")]
            await asyncio.wait_for(begun(slate, 2), 10)  # side by side: the first is not done
            slate.go.set()
            await asyncio.gather(*answers)

    asyncio.run(main())
    assert sorted(slate.batches) == [[crowd.text], ["a"]]


def test_who_asks_for_little_waits_for_little_however_many_ask_for_more() -> None:
    slate = Slate()
    slate.go.clear()
    long, short = "x" * (SMALL - OVERHEAD), "a"

    async def main() -> None:
        async with batching(slate) as batcher:
            first = asks(batcher, "first")
            await begun(slate)
            others = [asks(batcher, long) for _ in range(20)]
            await asyncio.sleep(0)
            late = asks(batcher, short)
            await asyncio.sleep(0)
            slate.go.set()
            await asyncio.gather(first, late, *others)

    asyncio.run(main())
    assert slate.batches[1][0] == short
    assert len(slate.batches) > 3


def test_a_text_that_turns_out_to_be_crowded_goes_over_to_the_large_ones() -> None:
    class Choosy(Slate):
        def read(
            self, tasks: Sequence[Task], wanted: object, most_pairs: int | None
        ) -> list[bytes | Exception]:
            found = super().read(tasks, wanted, most_pairs)
            crowded = most_pairs is not None
            return [
                CrowdedError() if crowded and task.text == "crowd" else answer
                for task, answer in zip(tasks, found, strict=True)
            ]

    slate = Choosy()

    async def main() -> None:
        async with batching(slate) as batcher:
            answers = await asyncio.gather(*(asks(batcher, text) for text in ("a", "crowd", "b")))
            assert answers == [[b"A"], [b"CROWD"], [b"B"]]
            assert batcher._small.unanswered == batcher._large.unanswered == 0

    asyncio.run(main())
    assert slate.batches == [["a", "b", "crowd"], ["crowd"]]


def test_nobody_is_overtaken_for_ever() -> None:
    async def main() -> list[str]:
        lane, loop = Lane(gives_way=1e-4), asyncio.get_running_loop()
        for text in ("x" * 100, "y" * 10):
            lane.add(Waiting(Task(text), loop.create_future()))
        await asyncio.sleep(0.02)  # more than 90 characters give way
        lane.add(Waiting(Task("late"), loop.create_future()))
        return [item.task.text[0] for item in lane.take()]

    assert asyncio.run(main()) == ["y", "x", "l"]


def test_large_texts_are_read_in_the_order_in_which_they_came() -> None:
    async def main() -> list[int]:
        lane, loop = Lane(), asyncio.get_running_loop()
        for size in (5, 3, 9, 3):
            lane.add(Waiting(Task("x" * size), loop.create_future()))
        return [len(item.task.text) for item in lane.take()]

    assert asyncio.run(main()) == [5, 3, 9, 3]


def test_a_stream_waits_for_room_and_then_goes_on() -> None:
    slate = Slate()
    slate.go.clear()

    async def main() -> bytes:
        async with batching(slate, max_waiting=2 * SMALL) as batcher:
            accepted = asks(batcher, "x" * SMALL)
            await begun(slate)
            waiting = asyncio.ensure_future(batcher.read_when_there_is_room(Task("line")))
            await asyncio.sleep(0.01)
            assert not waiting.done()
            slate.go.set()
            await accepted
            return await (await waiting)

    assert asyncio.run(main()) == b"LINE"


def test_whoever_waits_at_the_end_is_told() -> None:
    slate = Slate()
    slate.go.clear()

    async def main() -> None:
        async with batching(slate) as batcher:
            asks(batcher, "first").add_done_callback(lambda done: done.cancelled() or done.exception())
            await begun(slate)
            left = asks(batcher, "left")
            await asyncio.sleep(0)
            slate.go.set()
            await batcher.close()
            with pytest.raises(ServiceError) as caught:
                await left
            assert caught.value.status == 503

    asyncio.run(main())


def test_what_would_not_be_read_in_time_is_turned_away() -> None:
    slate = Slate()
    slate.go.clear()

    async def main() -> None:
        async with batching(slate, timeout=1.0) as batcher:
            accepted = asks(batcher, "x" * 3900)
            await begun(slate)
            more = [asks(batcher, "y" * 3900) for _ in range(10)]
            await asyncio.wait(more, return_when=asyncio.FIRST_EXCEPTION)
            slate.go.set()
            results = await asyncio.gather(accepted, *more, return_exceptions=True)
            turned_away = [r.status for r in results if isinstance(r, ServiceError)]
            assert 0 < len(turned_away) < 10
            assert set(turned_away) == {429}

    asyncio.run(main())


def test_a_lane_foresees_by_the_rate_of_its_batches() -> None:
    async def main() -> None:
        lane = Lane()
        for _ in range(50):
            lane.took(1000, 2.0)
        assert lane.seconds(more=1000) == pytest.approx(2.0, rel=0.01)
        future = asyncio.get_running_loop().create_future()
        lane.add(Waiting(Task("x" * (500 - OVERHEAD)), future))
        assert lane.seconds() == pytest.approx(1.0, rel=0.01)

    asyncio.run(main())


def test_a_text_whose_client_has_left_is_not_read() -> None:
    slate = Slate()
    slate.go.clear()

    async def main() -> None:
        async with batching(slate) as batcher:
            first = asks(batcher, "first")
            await begun(slate)
            left, stays = asks(batcher, "left"), asks(batcher, "stays")
            await asyncio.sleep(0)
            left.cancel()
            slate.go.set()
            await asyncio.gather(first, stays)

    asyncio.run(main())
    assert slate.batches == [["first"], ["stays"]]
