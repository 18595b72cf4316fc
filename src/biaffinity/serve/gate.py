"""What every request passes: keys, the bound on requests, headers, counters, a line in the log."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from biaffinity.serve.hosts import Hosts
from biaffinity.serve.logs import trace
from biaffinity.serve.metrics import Metrics
from biaffinity.serve.places import Places, address_of
from biaffinity.serve.problems import ServiceError, fault
from biaffinity.serve.security import HEADERS, Keys

_log = logging.getLogger(__name__)
#: Where streams go: they last, so they have fewer places than short requests.
STREAM = "/v1/extract/stream"
_VOLATILE = (*HEADERS, (b"cache-control", b"no-store"))
_LASTING = (*HEADERS, (b"cache-control", b"no-cache"))


class Gate:
    """The outermost layer of the service.

    An endpoint that is ``direct``, by its method and path, is called here: the layers of the framework
    below would cost it as much again as all that is done here.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        direct: Mapping[tuple[str, str], Callable[[Request], Awaitable[Response]]],
        routes: frozenset[str],
        keys: Keys,
        metrics: Metrics,
        max_requests: int,
        hosts: Hosts,
        streams: Places,
        seconds_to_wait: Callable[[], int],
    ) -> None:
        self._app = app
        self._direct = direct
        self._routes = routes
        self._keys = keys
        self._metrics = metrics
        self._max_requests = max_requests
        self._hosts = hosts
        self._streams = streams
        self._seconds_to_wait = seconds_to_wait
        self._in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 0
        path: str = scope["path"]
        works = path.startswith("/v1/")
        name = os.urandom(8).hex()
        headers = [*(_VOLATILE if works else _LASTING), (b"x-request-id", name.encode())]

        async def send_marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), *headers]
            await send(message)

        error: ServiceError | None = None
        stream_of: str | None = None
        self._in_flight += 1
        self._metrics.in_flight.inc()
        fields: dict[str, Any] = {}
        try:
            self._check_host(scope)
            if (works or path == "/metrics") and self._keys:
                self._check_key(scope)
            if works and self._in_flight > self._max_requests:
                raise self._too_busy(f"{self._max_requests:,} requests")
            if path == STREAM:
                stream_of = self._take_stream(scope)
            endpoint = self._direct.get((scope["method"], path))
            if endpoint is None:
                await self._app(scope, receive, send_marked)
            else:
                answer = await endpoint(Request(scope, receive))
                await answer(scope, receive, send_marked)
        except ServiceError as refused:
            error = refused.bare()
        except ClientDisconnect:  # nobody will read this, but the log will show it
            error = ServiceError(400, "the body was not whole", remedy="send all of it")
        except Exception as broken:
            fields = trace(broken)
            error = fault()
        finally:
            if error is not None and not status:
                await error.response()(scope, receive, send_marked)
            self._in_flight -= 1
            if stream_of is not None:
                self._streams.leave(stream_of)
            self._metrics.in_flight.dec()
            seconds = time.perf_counter() - started
            route = path if path in self._routes else "other"
            self._metrics.answered(route, status, seconds)
            self._write_log(scope["method"], route, status, seconds, {"request": name, **fields})

    def _check_key(self, scope: Scope) -> None:
        given = next((value for key, value in scope["headers"] if key == b"authorization"), b"")
        if not self._keys.open(given):
            raise ServiceError(
                401,
                "the key is wrong" if given else "a key is needed",
                remedy="send the header Authorization: Bearer KEY",
                headers={"WWW-Authenticate": "Bearer"},
            )

    def _check_host(self, scope: Scope) -> None:
        given = next((value for key, value in scope["headers"] if key == b"host"), b"")
        if not self._hosts.know(given):
            raise ServiceError(
                421,
                "the service does not go by the name in Host",
                remedy="use another name for it, or let the operator add it to --allowed-hosts",
            )

    def _take_stream(self, scope: Scope) -> str:
        """Take one of the places for streams, fewer than there are for requests; for which address."""
        address = address_of(scope.get("client"))
        if too_many := self._streams.admit(address):
            raise self._too_busy(too_many)
        return address

    def _too_busy(self, too_many: str) -> ServiceError:
        seconds = self._seconds_to_wait()
        return ServiceError(
            429,
            f"{too_many} are being served already",
            remedy=f"send it again in {seconds} s",
            headers={"Retry-After": str(seconds)},
        )

    def _write_log(
        self, method: str, route: str, status: int, seconds: float, fields: dict[str, object]
    ) -> None:
        level = logging.ERROR if status >= 500 or not status else logging.INFO
        if _log.isEnabledFor(level):
            known = method if method in _METHODS else "other"
            entry = {"method": known, "route": route, "status": status, "seconds": round(seconds, 6)}
            _log.log(level, "request", extra={"fields": {**entry, **fields}})


_METHODS = frozenset({"GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"})
