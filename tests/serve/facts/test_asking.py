"""The threads that ask a store: read-only, bounded, and freed from what takes too long."""

from __future__ import annotations

import asyncio
import threading

import pytest

from biaffinity.errors import BiaffinityError
from biaffinity.facts import Facts
from biaffinity.serve.facts import asking
from biaffinity.serve.facts.asking import THREADS, Asking
from biaffinity.serve.problems import ServiceError
from facts.told import told

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


def test_questions_cannot_change_a_store(store: str) -> None:
    told(store)

    async def ask() -> None:
        questions = Asking(store, 10)
        with pytest.raises(BiaffinityError):
            await questions.ask(lambda opened: opened.database.change("DELETE FROM documents"))
        assert (await questions.ask(Facts.summary)).documents == 4
        await questions.close()

    asyncio.run(ask())


def test_what_takes_too_long_is_ended_and_its_thread_is_free(store: str) -> None:
    told(store)

    async def ask() -> None:
        questions = Asking(store, 0.3)
        endless = [questions.ask(lambda opened: opened.database.select(ENDLESS)) for _ in range(THREADS)]
        for answer in await asyncio.gather(*endless, return_exceptions=True):
            assert isinstance(answer, ServiceError)
            assert answer.status == 504
        questions._timeout = 10
        counts = await asyncio.gather(*(questions.ask(Facts.summary) for _ in range(THREADS)))
        assert {count.documents for count in counts} == {4}
        await questions.close()
        assert not any(thread.is_alive() for thread in questions._threads)

    asyncio.run(ask())


def test_more_questions_than_can_wait_are_refused(news_store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MOST_WAITING", 2)

    async def ask() -> None:
        questions, go = Asking(news_store, 10), threading.Event()
        busy: list[asyncio.Future[bool]] = []
        while len(busy) < THREADS:
            busy.append(asyncio.ensure_future(questions.ask(lambda _: go.wait(10))))
            while len(questions._at_work) < len(busy):
                await asyncio.sleep(0.01)
        waiting = [asyncio.ensure_future(questions.ask(Facts.summary)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(ServiceError) as refused:
            await questions.ask(Facts.summary)
        assert refused.value.status == 429
        go.set()
        await asyncio.gather(*busy, *waiting)
        await questions.close()

    asyncio.run(ask())
