"""The service as a process of its own."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from biaffinity.errors import DataError
from biaffinity.serve import Settings, run

TEXT = "Ilka Roe lives in Ghent, and Tomas Quill was born in Utrecht. " * 300


@contextmanager
def serving(log: Path, *options: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A process that is ready, and its address."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "biaffinity", "serve", "--port", str(port), *options]
    address = f"http://127.0.0.1:{port}"
    with log.open("wb") as file:
        process = subprocess.Popen(command, stderr=file, stdout=file)
    try:
        for _ in range(1200):
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"{address}/health/ready").status_code == 200:
                    break
            assert process.poll() is None, log.read_text()
            time.sleep(0.1)
        yield process, address
    finally:
        process.kill()
        process.wait()


def test_what_was_accepted_before_a_signal_is_answered(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with serving(log) as (process, address):
        port = int(address.rpartition(":")[2])
        body = json.dumps({"text": TEXT}).encode()
        with socket.create_connection(("127.0.0.1", port)) as connection, connection.makefile("rb") as answer:
            head = ("POST /v1/extract HTTP/1.1", "Host: localhost", "Content-Type: application/json")
            connection.sendall("\r\n".join((*head, f"Content-Length: {len(body)}", "", "")).encode() + body)
            while "in_flight 2.0" not in httpx.get(f"{address}/metrics").text:
                time.sleep(0.005)
            process.send_signal(signal.SIGTERM)
            assert answer.readline() == b"HTTP/1.1 200 OK\r\n"
            headers = dict(line.rstrip().split(b": ", 1) for line in iter(answer.readline, b"\r\n"))
            documents = json.loads(answer.read(int(headers[b"content-length"])))["documents"]
        assert documents[0]["text"] == TEXT
        assert process.wait(20) in (0, -signal.SIGTERM)  # uvicorn ends by the signal that it has caught
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert all({"time", "level", "event"} <= set(line) for line in lines)
    assert "Ilka" not in log.read_text()


def test_several_workers_count_together(tmp_path: Path) -> None:
    with serving(tmp_path / "log", "--workers", "2") as (process, address):
        for _ in range(12):
            httpx.post(f"{address}/v1/extract", json={"text": "Ghent"}).raise_for_status()
        metrics = httpx.get(f"{address}/metrics").text
        process.send_signal(signal.SIGTERM)
        process.wait(20)
    assert 'biaffinity_requests_total{route="/v1/extract",status="200"} 12.0' in metrics
    assert re.search(r"^biaffinity_requests_in_flight 1\.0$", metrics, re.MULTILINE)


def test_an_address_that_is_taken_is_an_error_before_anything_starts() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(DataError, match="--port"):
        run(Settings(port=taken.getsockname()[1]))


def test_a_model_that_is_not_there_is_an_error_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such model folder"):
        run(Settings(models=(str(tmp_path / "none"),)))
