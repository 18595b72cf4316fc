"""Bodies read with a bound in bytes and in time: no client can fill the memory or hold a place for ever."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

import anyio
from starlette.requests import ClientDisconnect, Request

from biaffinity.serve.held import Hold
from biaffinity.serve.problems import ServiceError, too_many_bytes

JSON = ("application/json",)
_DIGITS = 18  # of a length that is worth reading
#: Bytes per second that a stream must bring on the average, beyond the time that any body has.
LEAST_RATE = 64
LINES = ("application/x-ndjson", "application/jsonl", "application/json")


def require_type(request: Request, types: tuple[str, ...]) -> None:
    """Refuse a body that is not declared as JSON: a page elsewhere could otherwise send one unasked."""
    declared = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if declared not in types:
        raise ServiceError(
            415, f"the body is not declared as {types[0]}", remedy=f"send Content-Type: {types[0]}"
        )


async def read_body(request: Request, max_bytes: int, timeout: float, hold: Hold) -> bytes:
    """The whole body; one that is too large is refused as soon as that is known."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and (len(declared) > _DIGITS or int(declared) > max_bytes):
        raise too_many_bytes(max_bytes)
    parts, size = [], 0
    with anyio.move_on_after(timeout) as scope:
        async for part in _parts(request):
            size += len(part)
            if size > max_bytes:
                raise too_many_bytes(max_bytes)
            hold.keep(size)
            parts.append(part)
    if scope.cancelled_caught:
        raise too_slow(timeout)
    return b"".join(parts)


async def read_lines(
    request: Request, max_bytes: int, timeout: float, hold: Hold
) -> AsyncIterator[bytes | None]:
    """The lines of a body without their ends, as they come; None for one that is too large.

    The line that was given last is held until the next is asked for.

    The time that is spent waiting for the client, whatever it brings, is bounded: one that sends a byte now
    and then would else hold a place for ever.
    """
    rest, overlong = bytearray(), False
    parts = _parts(request)
    waited, received = 0.0, 0
    while True:
        asked = time.monotonic()
        with anyio.move_on_after(min(timeout, timeout + received / LEAST_RATE - waited)) as scope:
            part = await anext(parts, None)
        if scope.cancelled_caught:
            raise too_slow(timeout)
        if part is None:
            break
        waited += time.monotonic() - asked
        received += len(part)
        *lines, last = part.split(b"\n")
        for line in lines:
            whole = bytes(rest) + line
            rest.clear()
            hold.keep(len(whole))
            yield None if overlong or len(whole) > max_bytes else whole
            overlong = False
        if overlong or len(rest) + len(last) > max_bytes:
            rest.clear()
            overlong = True
        else:
            rest += last
        hold.keep(len(rest))
    if overlong:
        yield None
    elif rest:
        yield bytes(rest)


def too_slow(timeout: float) -> ServiceError:
    """Nothing more of the body came in time."""
    return ServiceError(408, f"the body did not arrive within {timeout:g} s", remedy="send it again")


async def _parts(request: Request) -> AsyncIterator[bytes]:
    """The body as it comes from the wire."""
    more = True
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        yield message.get("body", b"")
        more = message.get("more_body", False)
