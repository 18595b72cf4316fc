"""Connections that send too much, too slowly or too often, over real sockets of this machine."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from biaffinity import Extractor
from biaffinity.serve import Settings, protocol
from biaffinity.serve.app import PAGE
from serve.live import connected, healthy, live, read_all, status

LINE = b"GET /health/ready HTTP/1.1\r\nHost: localhost\r\n"
ELSEWHERE = "127.0.0.2"


@pytest.fixture
def port(extractor: Extractor, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of a service with few places and little patience."""
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(protocol, "SECONDS_TO_TAKE", 0.5)
    monkeypatch.setattr(protocol, "_LOOK", 0.1)
    settings = Settings(
        max_connections=24, max_connections_per_address=16, max_streams=4, timeout=0.5, grace=2
    )
    with live(settings, extractor) as port:
        yield port


def refused(caplog: pytest.LogCaptureFixture) -> set[str]:
    """The reasons that the log gives for refusals."""
    return {getattr(record, "fields", {}).get("reason", "") for record in caplog.records}


def test_one_endless_header_is_cut_off(port: int) -> None:
    with connected(port) as connection:
        connection.sendall(LINE + b"X-Endless: " + b"x" * 40_000)
        assert status(connection) == 431


def test_many_headers_are_cut_off(port: int) -> None:
    with connected(port) as connection:
        connection.sendall(LINE + b"".join(b"X-%d: 1\r\n" % n for n in range(200)) + b"\r\n")
        assert status(connection) == 431


def test_an_endless_address_is_cut_off(port: int) -> None:
    with connected(port) as connection:
        connection.sendall(b"GET /" + b"x" * 40_000)
        assert status(connection) == 431


def test_the_headers_of_a_later_request_are_bounded_too(port: int) -> None:
    with connected(port) as connection:
        connection.sendall(LINE + b"\r\n")
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200")
        connection.sendall(LINE + b"X-Endless: " + b"x" * 60_000)
        assert status(connection) == 431


def test_headers_and_a_large_body_in_one_piece_are_read(port: int) -> None:
    body = json.dumps({"text": "Ghent. " * 6_000}).encode()
    head = b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with connected(port) as connection:
        connection.sendall(head + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        assert status(connection) in (200, 504)  # read it is, in time or not


@pytest.mark.parametrize("sent", [b"", b"G", LINE, LINE + b"X-Drip: 1"])
def test_a_connection_that_does_not_end_its_headers_is_closed(port: int, sent: bytes) -> None:
    with connected(port) as connection:
        connection.sendall(sent)
        started = time.monotonic()
        assert status(connection) == (408 if sent else 0)
        assert time.monotonic() - started < 5


def test_headers_that_drip_are_not_waited_for(port: int) -> None:
    with connected(port) as connection:
        connection.settimeout(0.05)
        for byte in LINE * 3:
            connection.sendall(bytes([byte]))
            try:
                found = connection.recv(1 << 16)
                break
            except TimeoutError:
                continue
        assert found.startswith(b"HTTP/1.1 408")


def test_a_body_that_goes_on_after_its_refusal_is_not_read_for_ever(port: int) -> None:
    head = b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999\r\n\r\n"
    with connected(port) as connection:
        connection.sendall(head)
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 415")
        with pytest.raises(OSError, match=r"."):  # noqa: PT012
            for _ in range(200):
                connection.sendall(b"x" * 1000)
                time.sleep(0.02)


def test_connections_of_one_address_leave_room_for_others(
    port: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    with ExitStack() as stack:
        for _ in range(16):
            stack.enter_context(connected(port)).sendall(b"G")
        with connected(port) as one_more:
            assert status(one_more) == 503
        assert healthy(port, ELSEWHERE)
    assert "full" in refused(caplog)


def test_connections_are_bounded_in_all_and_places_come_back(port: int) -> None:
    with ExitStack() as stack:
        for number in range(24):
            stack.enter_context(connected(port, f"127.0.0.{2 + number % 4}")).sendall(b"G")
        assert not healthy(port)
    for _ in range(100):
        if healthy(port):
            return
        time.sleep(0.05)
    raise AssertionError("no place came back")


def test_pipelined_requests_are_bounded(port: int) -> None:
    with connected(port) as connection:
        connection.sendall((LINE + b"\r\n") * 400)
        assert read_all(connection).count(b"HTTP/1.1 200") < 400  # and then it was closed
    assert healthy(port)


def test_a_few_pipelined_requests_are_answered(port: int) -> None:
    with connected(port) as connection:
        connection.sendall((LINE + b"\r\n") * 9 + LINE + b"Connection: close\r\n\r\n")
        assert read_all(connection).count(b"HTTP/1.1 200") == 10


LARGEST = b"GET /page/swagger/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n"
LARGEST_BYTES = (PAGE / "swagger" / "swagger-ui-bundle.js").stat().st_size


def test_answers_that_nobody_takes_are_given_up(port: int, caplog: pytest.LogCaptureFixture) -> None:
    with connected(port, room=4096) as connection:
        connection.sendall((LARGEST + b"\r\n") * 9 + LARGEST + b"Connection: close\r\n\r\n")
        until = time.monotonic() + 10
        while "unread" not in refused(caplog) and time.monotonic() < until:
            time.sleep(0.05)
        assert "unread" in refused(caplog)
        assert len(read_all(connection)) < 10 * LARGEST_BYTES  # what was on its way, and then the end
    assert healthy(port)


def test_an_answer_that_is_taken_slowly_comes_whole(port: int, caplog: pytest.LogCaptureFixture) -> None:
    with connected(port, room=1 << 16) as connection:
        connection.sendall(LARGEST + b"Connection: close\r\n\r\n")
        started, length = time.monotonic(), 0
        while part := connection.recv(1 << 16):
            length += len(part)
            if time.monotonic() - started < 1.5:  # three times as long as one may take nothing
                time.sleep(0.05)
        assert length > LARGEST_BYTES
    assert "unread" not in refused(caplog)


def test_nonsense_is_answered_and_ends(port: int) -> None:
    with connected(port) as connection:
        connection.sendall(b"\x16\x03\x01 this is no HTTP\r\n\r\n")
        assert status(connection) == 400


def test_a_request_for_another_protocol_is_answered_in_this_one(port: int) -> None:
    with connected(port) as connection:
        connection.sendall(LINE + b"Connection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n")
        assert status(connection) == 200


STREAM = (
    b"POST /v1/extract/stream HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)


def test_streams_leave_places_for_other_addresses_and_for_short_requests(port: int) -> None:
    with ExitStack() as stack:
        streams = [stack.enter_context(connected(port)) for _ in range(3)]
        for stream in streams:
            stream.sendall(STREAM + b'8\r\n"Ghent"\n\r\n')
        started = sorted(stream.recv(15) for stream in streams)
        assert [line.split()[1] for line in started] == [b"200", b"200", b"429"]
        assert healthy(port)
        with connected(port, ELSEWHERE) as other:
            other.sendall(STREAM + b"0\r\n\r\n")
            assert other.recv(15).split()[1] == b"200"


def test_a_stream_that_drips_comes_to_its_end(port: int) -> None:
    with connected(port) as connection:
        connection.sendall(STREAM)
        connection.settimeout(0.1)
        found, until = b"", time.monotonic() + 10
        while b"slow_body" not in found and time.monotonic() < until:
            connection.sendall(b"1\r\nx\r\n")  # never as long as a body may take between two bytes
            with suppress(TimeoutError):
                found += connection.recv(1 << 16)
        assert b"slow_body" in found


def test_a_stream_that_brings_enough_may_last(port: int) -> None:
    with connected(port) as connection:
        connection.sendall(STREAM)
        for _ in range(12):
            connection.sendall(b'8\r\n"Ghent"\n\r\n')
            time.sleep(0.1)
        connection.sendall(b"0\r\n\r\n")
        connection.settimeout(10)
        found = b""
        while not found.endswith(b"0\r\n\r\n"):
            found += connection.recv(1 << 16)
        assert found.count(b'"text":"Ghent"') >= 12
