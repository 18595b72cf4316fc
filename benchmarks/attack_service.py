"""Attacks on the HTTP service, each with a bystander beside it.

Attackers are in a process of their own, so that the bystander waits for the service and not for them.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import multiprocessing
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from bars import Measured
from service import cpu_seconds, resident_mb

BYSTANDER = "127.0.0.77"
ATTACKER = "127.0.0.{}"
QUESTION = json.dumps({"text": "Ilka Roe lives in Ghent."})
JSON = {"Content-Type": "application/json", "Host": "localhost"}
HEAD = b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
STREAM = (
    b"POST /v1/extract/stream HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)


@dataclass(frozen=True)
class Target:
    """A service, as those outside know it."""

    port: int

    def connect(self, address: str) -> socket.socket:
        """A connection from an address."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=30, source_address=(address, 0))

    def ask(self, body: str, address: str) -> int:
        """The status of an answer."""
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=60, source_address=(address, 0)
        )
        with contextlib.closing(connection):
            connection.request("POST", "/v1/extract", body, JSON)
            answer = connection.getresponse()
            answer.read()
            return answer.status


@dataclass
class Watched:
    """A service under attack: its memory, and what the bystander got."""

    process: subprocess.Popen[bytes]
    target: Target
    ended: threading.Event = field(default_factory=threading.Event)
    idle_mb: float = 0.0
    memory: list[float] = field(default_factory=list)
    alone: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)

    def watch(self) -> None:
        """Measure the memory until the end."""
        while not self.ended.wait(0.1):
            with contextlib.suppress(OSError):
                self.memory.append(resident_mb(self.process.pid))

    def stand_by(self) -> None:
        """Ask now and then, until the end."""
        while not self.ended.wait(0.05):
            self.seconds.append(self.question())

    def question(self) -> float:
        """The seconds that the bystander's question takes."""
        started = time.perf_counter()
        try:
            self.statuses[str(self.target.ask(QUESTION, BYSTANDER))] += 1
        except OSError as error:
            self.statuses[type(error).__name__] += 1
        return time.perf_counter() - started


@contextmanager
def watched(folder: Path, *options: str) -> Iterator[Watched]:
    """A service that is watched."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "biaffinity", "serve", "--port", str(port), *options]
    with (folder / "service.log").open("ab") as log:
        process = subprocess.Popen(command, stderr=log, stdout=log)
    service = Watched(process, Target(port))
    threads = [threading.Thread(target=service.watch), threading.Thread(target=service.stand_by)]
    try:
        while True:
            with contextlib.suppress(OSError):
                service.target.ask(QUESTION, BYSTANDER)
                break
            if process.poll() is not None:
                raise SystemExit("the service did not start")
            time.sleep(0.1)
        # What a service at work has, not one that has read nothing yet.
        service.target.ask(json.dumps({"text": "Ilka Roe lives in Ghent. " * 400}), BYSTANDER)
        service.alone += [service.question() for _ in range(200)]
        service.statuses.clear()
        service.idle_mb = resident_mb(process.pid)
        for thread in threads:
            thread.start()
        yield service
    finally:
        service.ended.set()
        for thread in threads:
            if thread.is_alive():
                thread.join()
        process.kill()
        process.wait()


def crowd(count: int, *, types: tuple[str, str] = ("Org", "Loc"), **asked: Any) -> str:
    """A sentence in which nearly everything is related to everything."""
    entities = [{"start_char": 5 * i, "end_char": 5 * i + 4, "type": types[i % 2]} for i in range(count)]
    return json.dumps({"text": "Oslo " * count, "entities": entities, **asked})


def full_text(count: int, **asked: Any) -> str:
    """A text whose every sentence has so many entities for the model to find."""
    sentence = "We saw " + ", ".join(("Oslo", "Ghent", "Lima", "Turin")[i % 4] for i in range(count)) + ". "
    return json.dumps({"text": (sentence * 100)[:3900], **asked})


def repeat(seconds: float, clients: int, act: Callable[[int], object]) -> None:
    """Let several attackers act again and again, each with its number."""
    until = time.monotonic() + seconds

    def go_on(number: int) -> None:
        while time.monotonic() < until:
            with contextlib.suppress(OSError, http.client.HTTPException):
                act(number)

    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(go_on, range(clients)))


def dense(service: Target, seconds: float) -> None:
    """Sentences with as many entities as can be, drawn and not; texts in which many are found."""
    general: dict[str, Any] = {"model": "general", "types": ("Organization", "Location")}
    bodies = [crowd(512, drawing={}), crowd(150, drawing={}), crowd(140), crowd(60, drawing={})]
    bodies += [crowd(150, **general), crowd(110), crowd(110, **general), crowd(20, min_score=0, drawing={})]
    bodies += [full_text(700), full_text(140), full_text(60, model="general"), full_text(20, min_score=0)]
    bodies.append(json.dumps({"text": "a " * 3000, "entities": [{"start_char": 0, "end_char": 6000}]}))
    repeat(seconds, 6, lambda number: service.ask(random.choice(bodies), ATTACKER.format(2 + number)))


def faults(service: Target, seconds: float) -> None:
    """Bodies in which everything is wrong, or that are far too deep or large."""
    fields = ",".join(f'"{n}": 9' for n in range(50_000))
    entities = '{"start_char": 0, "end_char": 1},' * 19_000
    bodies = [
        '{"text": "a", "entities": [' + "{}," * 190_000 + "{}]}",
        '{"text": "a", "entities": [' + entities + "{}]}",
        '{"text": "a", ' + fields + "}",
        '{"text": "a", "min_score": {' + fields + "}}",
        '{"text": "a", "drawing": {' + fields + "}}",
        '{"text": ' + "[" * 600_000,
        '{"texts": [' + "1," * 250_000 + "1]}",
    ]
    repeat(seconds, 3, lambda number: service.ask(random.choice(bodies), ATTACKER.format(2 + number)))


def unread(service: Target, seconds: float) -> None:
    """Large answers that nobody reads; bodies, and lines of streams, that stop short of their end."""
    body = crowd(60, drawing={}).encode()
    half = b'{"text": "' + b"x" * 500_000
    requests = [
        HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body,
        HEAD + b"Content-Length: 600000\r\n\r\n" + half,
        STREAM + b"%x\r\n" % len(half) + half + b"\r\n",
    ]
    with contextlib.ExitStack() as stack:
        for number in range(300):
            connection = stack.enter_context(service.connect(ATTACKER.format(2 + number % 4)))
            with contextlib.suppress(OSError):
                connection.sendall(requests[number % 3])
        time.sleep(seconds)


def large_heads(service: Target, seconds: float) -> None:
    """Headers without an end, many or one, and pipelines of requests whose answers are not read."""
    line = b"GET /health/ready HTTP/1.1\r\nHost: localhost\r\n"

    def act(number: int) -> None:
        with service.connect(ATTACKER.format(2 + number)) as connection:
            if number % 3 == 0:
                connection.sendall(line + b"X: " + b"x" * 16_000_000)
            elif number % 3 == 1:
                connection.sendall(line + b"X-Some: header\r\n" * 1_000_000)
            else:
                connection.sendall((line + b"\r\n") * 300_000)

    repeat(seconds, 6, act)


def half_open(service: Target, seconds: float) -> None:
    """Connections that never end their headers, more than there are places for, from several addresses."""
    with contextlib.ExitStack() as stack:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for number in range(100):
                with contextlib.suppress(OSError):
                    connection = stack.enter_context(service.connect(ATTACKER.format(2 + number % 3)))
                    connection.sendall(b"GET / HTTP/1.1\r\nX: " + b"x" * 8_000)
            time.sleep(1)


def dripping(service: Target, seconds: float) -> None:
    """Streams that bring a byte every few seconds."""
    with contextlib.ExitStack() as stack:
        streams = []
        for number in range(512):
            with contextlib.suppress(OSError):
                stream = stack.enter_context(service.connect(ATTACKER.format(2 + number % 8)))
                stream.sendall(STREAM)
                streams.append(stream)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for stream in streams:
                with contextlib.suppress(OSError):
                    stream.sendall(b"1\r\nx\r\n")
            time.sleep(5)


def names(service: Target, seconds: float) -> None:
    """Requests under other names than the service's own."""
    taken = Counter[int]()

    def act(number: int) -> None:
        with service.connect(ATTACKER.format(2 + number)) as connection:
            host = random.choice([b"evil.example", b"localhost.evil.example", b"", b"127.0.0.1.evil.example"])
            connection.sendall(b"GET /docs/ HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n\r\n")
            taken[int(connection.recv(64).split()[1])] += 1

    repeat(seconds, 2, act)
    if set(taken) != {421}:
        raise SystemExit(f"another name than the service's own was taken: {taken}")


def mixed(service: Target, seconds: float) -> None:
    """All of it at once."""
    with ThreadPoolExecutor(5) as pool:
        attacks = (dense, unread, large_heads, dripping, faults)
        for done in [pool.submit(attack, service, seconds) for attack in attacks]:
            done.result()


#: Each attack with its seconds at scale 1, and options of the service: what only waits need not wait long.
ATTACKS: tuple[tuple[Callable[[Target, float], None], float, tuple[str, ...]], ...] = (
    (dense, 30, ()),
    (faults, 20, ()),
    (unread, 20, ("--timeout", "10")),
    (large_heads, 20, ()),
    (half_open, 25, ()),
    (dripping, 25, ("--timeout", "10")),
    (names, 5, ()),
    (mixed, 120, ()),
)
NAMES = tuple(attack.__name__ for attack, *_ in ATTACKS)


def attack_service(
    folder: Path, scale: float, only: str | None = None
) -> tuple[list[Measured], dict[str, Any]]:
    """What came of every attack, or of the one that is named."""
    measured, details = [], {}
    for attack, seconds, options in ATTACKS:
        if only in (None, attack.__name__):
            found, details[attack.__name__] = _attack(folder, attack, max(2.0, seconds * scale), options)
            measured += found
    if only is None:
        seconds = _seconds_to_end(folder)
        measured.append(
            Measured("dense: seconds from SIGTERM to the end (--grace 5)", seconds, "s", "at most", 5.5)
        )
    return measured, details


def _attack(
    folder: Path, attack: Callable[[Target, float], None], seconds: float, options: tuple[str, ...]
) -> tuple[list[Measured], dict[str, Any]]:
    with watched(folder, *options) as service, _attackers() as attackers:
        started, cpu = time.perf_counter(), cpu_seconds(service.process.pid)
        attackers.submit(attack, service.target, seconds).result()
        cpu, lasted = cpu_seconds(service.process.pid) - cpu, time.perf_counter() - started
    name, memory = attack.__name__.replace("_", " "), service.memory
    wrong = sum(count for status, count in service.statuses.items() if status not in _EXPECTED)
    measured = [
        Measured(f"{name}: memory against idle", max(memory) / service.idle_mb, "times", "at most", 1.5),
        Measured(f"{name}: bystander, 99th percentile", _late(service.seconds), "s", "under", 1),
        Measured(f"{name}: bystander, other answers than 200, 429, 503, 504", wrong, "", "at most", 0),
    ]
    if attack is mixed:
        third = len(memory) // 3
        grown = 100 * sum(memory[-third:]) / sum(memory[third : 2 * third])
        measured.append(Measured("mixed: memory, last third against middle", grown, "%", "at most", 102))
    return measured, {
        "seconds": round(lasted, 1),
        "idle_mb": round(service.idle_mb, 1),
        "most_mb": round(max(memory), 1),
        "bystander": dict(service.statuses),
        "median_seconds": round(median(service.seconds), 4),
        "longest_seconds": round(max(service.seconds), 3),
        "before_the_attack": {
            "median_seconds": round(median(service.alone), 4),
            "99th_percentile_seconds": round(_late(service.alone), 4),
        },
        "processor_seconds_of_service": round(cpu, 1),
        "machine_load": round(os.getloadavg()[0], 1),
    }


def _attackers() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))


def _late(seconds: list[float]) -> float:
    return sorted(seconds)[int(0.99 * (len(seconds) - 1))]


_EXPECTED = {"200", "429", "503", "504"}


def _seconds_to_end(folder: Path) -> float:
    with watched(folder, "--grace", "5") as service, _attackers() as attackers:
        attackers.submit(time.sleep, 0).result()  # they have started
        attack = attackers.submit(dense, service.target, 4)
        time.sleep(2)
        service.process.send_signal(signal.SIGTERM)
        started = time.perf_counter()
        service.process.wait(60)
        seconds = time.perf_counter() - started
        attack.result()
    return seconds
