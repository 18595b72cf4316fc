"""Lines in, lines out: order kept, a bad line answered in its place, memory bounded however long it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_core import to_json
from starlette.requests import ClientDisconnect

from biaffinity.serve.batching import Batcher
from biaffinity.serve.problems import ServiceError, malformed, too_many_bytes, too_many_characters
from biaffinity.serve.reading import Task
from biaffinity.serve.schemas import OneText, read_stream_line
from biaffinity.serve.settings import Settings
from biaffinity.serve.turns import Turns

#: Lines of one stream that are read ahead of the last one answered.
AHEAD = 256


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    id: str
    answer: asyncio.Future[bytes] | ServiceError
    model: str = ""  # that reads it


async def answer_lines(
    lines: AsyncIterator[bytes | None],
    batcher: Batcher,
    turns: Turns,
    as_task: Callable[[OneText], Task],
    settings: Settings,
) -> AsyncIterator[bytes]:
    """For every line that is not blank its document and who read it, or what is wrong with it, as a line."""
    pending: asyncio.Queue[_Line | None] = asyncio.Queue(AHEAD)

    async def accept() -> None:
        number = 0
        try:
            async for line in lines:
                number += 1
                if line is None or line.strip():
                    await pending.put(await _accepted(number, line, batcher, turns, as_task, settings))
        except ServiceError as error:
            await pending.put(_Line(number + 1, "", error))
        except ClientDisconnect:
            pass
        await pending.put(None)

    accepting = asyncio.create_task(accept())
    try:
        while (entry := await pending.get()) is not None:
            yield await _answered(entry)
    finally:
        accepting.cancel()
        with suppress(asyncio.CancelledError):
            await accepting
        while not pending.empty():
            left = pending.get_nowait()
            if left is not None and isinstance(left.answer, asyncio.Future):
                left.answer.cancel()


async def _accepted(
    number: int,
    line: bytes | None,
    batcher: Batcher,
    turns: Turns,
    as_task: Callable[[OneText], Task],
    settings: Settings,
) -> _Line:
    name = ""
    try:
        if line is None:
            raise too_many_bytes(settings.max_bytes)
        item = await turns.take(_understood, line)
        name = "" if item.id is None else str(item.id)
        if len(item.text) > settings.max_chars:
            raise too_many_characters(len(item.text), settings.max_chars)
        task = as_task(item)
        return _Line(number, name, await batcher.read_when_there_is_room(task), task.model)
    except ServiceError as error:
        return _Line(number, name, error.bare())


def _understood(line: bytes) -> OneText:
    try:
        item = read_stream_line.validate_json(line)
    except ValidationError as error:
        raise malformed(error) from None
    return OneText.model_construct(text=item) if isinstance(item, str) else item


async def _answered(line: _Line) -> bytes:
    problem = line.answer
    if not isinstance(problem, ServiceError):
        try:
            document = await problem
            return document[:-1] + b',"model":' + to_json(line.model) + b"}\n"
        except ServiceError as error:
            problem = error
    record: dict[str, object] = {"line": line.number}
    if line.id:
        record["id"] = line.id
    return to_json({**record, "error": problem.problem}) + b"\n"
