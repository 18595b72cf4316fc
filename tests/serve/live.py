"""A service on a port of its own in a thread of this process, and raw connections to it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from biaffinity import Extractor
from biaffinity.serve import Settings, create_app
from biaffinity.serve.server import server_options


@contextmanager
def live(settings: Settings, extractor: Extractor) -> Iterator[int]:
    """The port of a service that is set up as ``biaffinity serve`` does it."""
    options = {**server_options(settings), "port": 0, "log_config": None}
    server = uvicorn.Server(uvicorn.Config(create_app(settings, extractor), **options))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(20)


def connected(port: int, address: str = "127.0.0.1", *, room: int | None = None) -> socket.socket:
    """A connection from one of this machine's own addresses, with ``room`` for so many bytes unread."""
    connection = socket.socket()
    if room is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    connection.settimeout(10)
    connection.bind((address, 0))
    connection.connect(("127.0.0.1", port))
    return connection


def read_all(connection: socket.socket) -> bytes:
    """What comes until the other side closes."""
    found = b""
    try:
        while part := connection.recv(1 << 16):
            found += part
    except ConnectionResetError:  # closed with something of ours unread
        pass
    return found


def status(connection: socket.socket) -> int:
    """The status of the answer after which the connection is closed; 0 where there is none."""
    found = read_all(connection)
    return int(found.split()[1]) if found else 0


def healthy(port: int, address: str = "127.0.0.1") -> bool:
    """Whether a newcomer is answered."""
    with connected(port, address) as connection:
        connection.sendall(b"GET /health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return status(connection) == 200
