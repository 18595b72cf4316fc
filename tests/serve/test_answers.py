from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from biaffinity.serve.answers import PIECE, JsonAnswer, StreamAnswer
from biaffinity.serve.held import Held
from biaffinity.serve.problems import ServiceError

LARGE = bytes(range(256)) * 1024  # four pieces


async def lines(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


def sent(answer: JsonAnswer | StreamAnswer) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        messages.append(message)

    async def receive() -> Any:
        raise AssertionError("an answer asks nothing")

    asyncio.run(answer({"type": "http"}, receive, send))
    return messages


@pytest.mark.parametrize("body", [b"{}", LARGE[:PIECE], LARGE, LARGE + b"x"])
def test_the_pieces_of_a_body_join_to_it(body: bytes) -> None:
    start, *pieces = sent(JsonAnswer(body, 5, Held(1 << 30)))
    assert (b"content-length", str(len(body)).encode()) in start["headers"]
    assert b"".join(piece["body"] for piece in pieces) == body
    assert max(len(piece["body"]) for piece in pieces) <= PIECE
    assert [piece["more_body"] for piece in pieces] == [True] * (len(pieces) - 1) + [False]


def test_a_small_body_is_sent_at_once() -> None:
    assert len(sent(JsonAnswer(b"{}", 5, Held(1 << 30)))) == 2


def test_long_lines_are_cut_too() -> None:
    _, *pieces = sent(StreamAnswer(lines(b"a\n", LARGE, b"b\n"), timeout=5))
    assert b"".join(piece["body"] for piece in pieces) == b"a\n" + LARGE + b"b\n"
    assert max(len(piece["body"]) for piece in pieces) <= PIECE


@pytest.mark.parametrize("kind", [JsonAnswer, StreamAnswer])
def test_a_client_that_takes_nothing_is_let_go(kind: Any) -> None:
    async def receive() -> Any:
        raise AssertionError("an answer asks nothing")

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            await asyncio.sleep(30)

    async def main() -> None:
        answer = kind(LARGE, 0.05, Held(1 << 30)) if kind is JsonAnswer else kind(lines(LARGE), 0.05)
        await answer({"type": "http"}, receive, send)

    with pytest.raises(TimeoutError):
        asyncio.run(main())


def test_what_is_held_for_clients_is_bounded_and_comes_back() -> None:
    held = Held(100)
    with held.some() as first, held.some() as second:
        first.keep(60)
        first.keep(160)  # one client alone can always be served
        with pytest.raises(ServiceError) as refused:
            second.keep(1)
        assert refused.value.status == 429
        assert held.now == 160
        first.keep(90)
        second.keep(10)
        assert held.now == 100
    assert held.now == 0
