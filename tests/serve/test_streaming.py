"""``POST /v1/extract/stream``: lines in, lines out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.testclient import TestClient

from biaffinity import Extractor
from biaffinity.serve import Settings
from biaffinity.serve.bodies import read_lines
from biaffinity.serve.held import Held
from biaffinity.serve.problems import ServiceError
from biaffinity.serve.reading import Task
from biaffinity.serve.streaming import AHEAD, answer_lines
from biaffinity.serve.turns import Turns

NDJSON = {"content-type": "application/x-ndjson"}


def lines(client: TestClient, content: bytes | Iterator[bytes]) -> list[dict[str, Any]]:
    answer = client.post("/v1/extract/stream", content=content, headers=NDJSON)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.content.splitlines()]


def test_every_line_is_answered_in_order(client: TestClient, extractor: Extractor) -> None:
    texts = [f"Ilka Roe lives in Ghent, at number {number}." for number in range(600)]
    body = b"".join(json.dumps({"text": text, "id": i}).encode() + b"\n" for i, text in enumerate(texts))
    found = lines(client, body)
    assert [(one["id"], one["text"]) for one in found] == [(str(i), text) for i, text in enumerate(texts)]
    assert found[7]["entities"][0]["text"] == "Ilka Roe"


def test_a_bad_line_is_answered_in_its_place(client: TestClient) -> None:
    body = b'"Ghent"\nnonsense\n\n{"text": "Lyon", "id": "l", "min_score": 3}\n{"text": "Utrecht"}'
    first, bad, worse, last = lines(client, body)
    assert (first["text"], last["text"]) == ("Ghent", "Utrecht")
    assert (bad["line"], bad["error"]["code"]) == (2, "malformed")
    assert (worse["line"], worse["error"]["where"]) == (4, "min_score")


def test_a_text_or_line_that_is_too_large_is_answered_in_its_place(client: TestClient) -> None:
    long = json.dumps({"text": "x" * 2001, "id": "long"}).encode()
    endless = b'"' + b"y" * 200_000 + b'"'
    found = lines(client, b"\n".join([b'"Ghent"', long, endless, b'"Lyon"']))
    assert [one.get("text") for one in found] == ["Ghent", None, None, "Lyon"]
    assert [one["error"]["code"] for one in found[1:3]] == ["too_large", "too_large"]
    assert found[1]["id"] == "long"


def test_entities_and_scores_go_with_a_line(client: TestClient) -> None:
    line = {"text": "Roe left Ghent.", "entities": [{"start_char": 0, "end_char": 3, "type": "Peop"}]}
    wrong = {"text": "Roe", "entities": [{"start_char": 0, "end_char": 9}]}
    found, refused = lines(client, json.dumps(line).encode() + b"\n" + json.dumps(wrong).encode())
    assert [entity["text"] for entity in found["entities"]] == ["Roe"]
    assert refused["error"]["where"] == "entities[0]"


def test_no_lines_have_no_answer(client: TestClient) -> None:
    assert lines(client, b"\n \n") == []


def test_lines_are_read_no_further_ahead_than_they_are_answered() -> None:
    taken = 0

    async def endless() -> AsyncIterator[bytes | None]:
        nonlocal taken
        while True:
            taken += 1
            yield b'"Ghent"'

    class Stuck:
        """A batcher that accepts all and answers nothing."""

        async def read_when_there_is_room(self, task: Task) -> asyncio.Future[bytes]:
            return asyncio.get_running_loop().create_future()

    async def main() -> None:
        answers = answer_lines(
            endless(),
            Stuck(),  # type: ignore[arg-type]
            Turns(),
            lambda item: Task(item.text),
            Settings(),
        )
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(anext(answers), 0.1)

    asyncio.run(main())
    assert AHEAD <= taken <= AHEAD + 2


def request_of(parts: list[bytes]) -> Request:
    messages = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    messages.append({"type": "http.request", "body": b"", "more_body": False})
    rest = iter(messages)

    async def receive() -> Any:
        return next(rest)

    return Request({"type": "http", "headers": []}, receive)


@given(st.lists(st.binary(max_size=12) | st.sampled_from([b"\n", b"abc", b"abcdefghijkl"]), max_size=12))
def test_lines_are_the_same_however_the_body_is_cut(parts: list[bytes]) -> None:
    held = Held(8)

    async def main() -> list[bytes | None]:
        with held.some() as hold:
            return [line async for line in read_lines(request_of(parts), 8, 5, hold)]

    whole = b"".join(parts).split(b"\n")
    if not whole[-1]:
        whole.pop()
    assert asyncio.run(main()) == [None if len(line) > 8 else line for line in whole]
    assert held.now == 0


def test_the_line_in_hand_and_the_one_that_is_coming_are_held() -> None:
    held, parts = Held(100), [b"abc", b"de\nfg\nhij", b"kl\n"]

    async def main() -> list[int]:
        with held.some() as hold:
            return [held.now async for _ in read_lines(request_of(parts), 50, 5, hold)]

    assert asyncio.run(main()) == [5, 2, 5]


def test_streams_whose_lines_do_not_end_are_bounded_together() -> None:
    held = Held(100)

    async def main() -> None:
        with held.some() as others, held.some() as hold:
            others.keep(80)
            async for _ in read_lines(request_of([b"x" * 15, b"x" * 15]), 50, 5, hold):
                pass

    with pytest.raises(ServiceError) as caught:
        asyncio.run(main())
    assert (caught.value.status, held.now) == (429, 0)


def test_a_client_that_sends_nothing_is_told() -> None:
    async def receive() -> Any:
        await asyncio.sleep(30)

    async def main() -> None:
        request = Request({"type": "http", "headers": []}, receive)
        with Held(8).some() as hold:
            async for _ in read_lines(request, 8, 0.05, hold):
                pass

    with pytest.raises(ServiceError) as caught:
        asyncio.run(main())
    assert caught.value.status == 408
