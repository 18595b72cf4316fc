"""Answers that are sent piece by piece, to a client that takes them.

What a server writes at one go it must hold until the client has read it; a client that reads nothing would
so fill the memory. A piece is sent only when the one before it has gone, and not for ever.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from biaffinity.serve.held import Held

#: Bytes that a connection holds anyway.
PIECE = 1 << 16


class JsonAnswer(Response):
    """A whole body of JSON."""

    def __init__(self, body: bytes, timeout: float, held: Held) -> None:
        super().__init__(body, media_type="application/json")
        self._timeout = timeout
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send; a client that takes nothing for too long is let go."""
        body = bytes(self.body)
        if len(body) <= PIECE:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await send({"type": "http.response.body", "body": body, "more_body": False})
            return
        with self._held.some() as hold:
            hold.keep(len(body))
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await _send(send, body, self._timeout)
            await send({"type": "http.response.body", "body": b"", "more_body": False})


class StreamAnswer(Response):
    """Lines of JSON, as they come."""

    def __init__(self, lines: AsyncIterator[bytes], timeout: float) -> None:
        super().__init__(media_type="application/x-ndjson")
        del self.headers["content-length"]
        self._lines = lines
        self._timeout = timeout

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send; a client that takes nothing for too long is let go."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async for line in self._lines:
            await _send(send, line, self._timeout)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _send(send: Send, body: bytes, timeout: float) -> None:
    for start in range(0, len(body), PIECE):
        with anyio.fail_after(timeout):
            piece = body[start : start + PIECE]
            await send({"type": "http.response.body", "body": piece, "more_body": True})
