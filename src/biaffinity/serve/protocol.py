"""HTTP as uvicorn reads it with httptools, with bounds on what a connection can hold and for how long.

httptools reads headers of any size and number, and uvicorn waits for them for ever and queues every request
that comes before the last is answered. Here a connection that exceeds a bound is told so and closed.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

import httptools
from pydantic_core import to_json
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from biaffinity.serve.logs import Refusals
from biaffinity.serve.places import Places, address_of
from biaffinity.serve.problems import ServiceError

#: Bytes of a request's line and headers, and number of headers.
MOST_HEAD_BYTES = 16_384
MOST_HEADERS = 100
#: Seconds from the first byte of a request, or from the start of a connection, to the end of the headers.
HEAD_SECONDS = 10.0
#: Requests of one connection that wait for the answer to the one before them.
MOST_PIPELINED = 16
#: Seconds that a client may take nothing of an answer.
SECONDS_TO_TAKE = 30.0
_NEVER = float("inf")
_LOOK = 2.5  # seconds between two looks at a connection


class _RefusedError(Exception):
    """Raised within the parser, to end it."""


class BoundedProtocol(HttpToolsProtocol):
    """One connection."""

    def __init__(self, *arguments: Any, places: Places, refusals: Refusals, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._places = places
        self._refusals = refusals
        self._address: str | None = None  # where it is counted
        self._refusal: ServiceError | None = None
        self._reading_head = True
        self._head_bytes = 0
        self._due = _NEVER  # when the head must be there
        self._timer: asyncio.TimerHandle | None = None
        self._unsent = 0  # bytes that the client had not taken at the last look
        self._idle_looks = 0  # those in a row at which it had taken none of them

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count it, or turn it away."""
        super().connection_made(transport)
        address = address_of(self.client)
        self._due = self.loop.time() + HEAD_SECONDS
        self._timer = self.loop.call_later(_LOOK, self._look)
        if too_many := self._places.admit(address):
            self._refuse(ServiceError(503, f"{too_many} are open already", remedy="come again later"), "full")
        else:
            self._address = address

    def connection_lost(self, exc: Exception | None) -> None:
        """Count it no more."""
        super().connection_lost(exc)
        if self._address is not None:
            self._places.leave(self._address)
            self._address = None
        if self._timer is not None:
            self._timer.cancel()
        self.pipeline.clear()

    def data_received(self, data: bytes) -> None:
        """Read, as long as the head stays within its bounds."""
        self._unset_keepalive_if_required()
        # In pieces, since of the piece in which a head begins it is not known where.
        for start in range(0, len(data), MOST_HEAD_BYTES):
            if self._refusal is None:
                self._feed(data[start : start + MOST_HEAD_BYTES])

    def _feed(self, data: bytes) -> None:
        if self._reading_head:
            self._head_bytes += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:  # the request is served as if it had not asked for that
            self._refusals.note("upgrade")
        except httptools.HttpParserError:
            error = self._refusal or ServiceError(400, "this is no HTTP that can be read", remedy="see /docs")
            self._refuse(error)
        else:
            if self._reading_head and self._head_bytes > MOST_HEAD_BYTES:
                self._refuse(_large_head())

    def on_message_begin(self) -> None:
        """A request begins: its head has its time and its bytes."""
        super().on_message_begin()
        if not self._reading_head:  # else the bytes of this part of the data are counted already
            self._reading_head, self._head_bytes = True, 0
        if self._due != _NEVER:
            self._due = self.loop.time() + HEAD_SECONDS

    def on_headers_complete(self) -> None:
        """A request can be served, or wait for the one before it."""
        self._reading_head, self._head_bytes = False, 0
        if len(self.headers) > MOST_HEADERS:
            self._stop(_large_head())
        if len(self.pipeline) >= MOST_PIPELINED:
            error = ServiceError(
                429, f"more than {MOST_PIPELINED} requests at once", remedy="read the answers"
            )
            self._stop(error)
        self._due = _NEVER
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """Answered: what is left of the body, and the next request, must not take for ever to come."""
        super().on_response_complete()
        if not self.pipeline and self.cycle.response_complete:
            self._due = self.loop.time() + HEAD_SECONDS

    def _look(self) -> None:
        """Close the connection if its head is overdue, or if its client takes nothing of an answer."""
        self._timer = self.loop.call_later(_LOOK, self._look)
        unsent = self.transport.get_write_buffer_size()
        waits = self.transport.is_closing() or (unsent and unsent == self._unsent)
        self._unsent, self._idle_looks = unsent, self._idle_looks + 1 if waits else 0
        if self._idle_looks * _LOOK >= SECONDS_TO_TAKE:
            self._refusals.note("unread")
            self.transport.abort()
        elif self.loop.time() < self._due or self.transport.is_closing():
            return
        elif self._reading_head and self._head_bytes:
            error = ServiceError(408, f"no whole request within {HEAD_SECONDS:g} s", remedy="send it at once")
            self._refuse(error)
        else:  # it never sent anything, or does not end a body that was answered already
            self._refusals.note("idle")
            self.transport.close()

    def _stop(self, error: ServiceError) -> None:
        """End the parser; what it raises comes back to `data_received`."""
        self._refusal = error
        raise _RefusedError

    def _refuse(self, error: ServiceError, reason: str | None = None) -> None:
        """Say why, unless an answer is on its way, and close."""
        self._refusal = error
        self._refusals.note(reason or error.problem["code"])
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(_answer(error))
        self.pipeline.clear()
        self.transport.close()


def _large_head() -> ServiceError:
    return ServiceError(
        431,
        f"the headers have more than {MOST_HEAD_BYTES:,} bytes, or are more than {MOST_HEADERS}",
        remedy="send fewer and shorter ones",
    )


def _answer(error: ServiceError) -> bytes:
    """The error as the bytes of an answer, after which the connection is closed."""
    body = to_json({"error": error.problem})
    head = f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}\r\n"
    head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
    return head.encode() + body
