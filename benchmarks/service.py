"""The HTTP service under load, beside the extractor itself on the same core, and at overload.

    python benchmarks/service.py [--data DIR] [--rounds N] [--seconds S] [--overload S] [--json OUT]

The load comes from wrk, which must be installed. The service and the extractor take turns on one core, wrk
has the others, so that a noisy neighbour disturbs both alike. DIR holds CoNLL04's raw files (by default from
BIAFFINITY_DATA or ../shared/data); where it is absent the texts are the demo's. Overload is a thousand
clients that never wait, with a long text now and then; it is judged over ten minutes: --overload 600.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import mean, median
from typing import Any
from urllib.request import urlopen

os.environ.setdefault("OMP_NUM_THREADS", "1")

from bars import Measured, show, write
from biaffinity.extraction import Extractor

ROOT = Path(__file__).parent.parent
CLIENTS = 64
CROWD = 1000  # clients at overload; the service has half as many requests in hand
CONNECTIONS = 1024  # all that a service has, even from one address: all clients are of this machine
LONG = 40  # of so many bodies at overload, one is long
LONG_SENTENCES = 100
WARM_UP = 15


def read_texts(folder: Path | None) -> list[str]:
    """One text per sentence."""
    path = folder / "train.raw.jsonl" if folder else ROOT / "samples" / "demo" / "train.jsonl"
    with path.open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return [record.get("text") or " ".join(record["tokens"]) for record in records]


def write_bodies(path: Path, texts: list[str], *, with_long: bool) -> None:
    """What the clients send, a line each."""
    with path.open("w", encoding="utf-8") as file:
        for number, text in enumerate(texts):
            if with_long and number % LONG == 0:
                text = " ".join((texts * 2)[number : number + LONG_SENTENCES])
            file.write(json.dumps({"text": text}) + "\n")


@contextmanager
def pinned(cores: set[int]) -> Iterator[None]:
    """Run on these cores alone, and so do the processes that are started meanwhile."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def service(log: Path, cores: set[int]) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A running service and its address; it is told to stop at the end, and must do so in order."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "biaffinity", "serve", "--port", str(port)]
    command += ["--max-connections", str(CONNECTIONS), "--max-connections-per-address", str(CONNECTIONS)]
    address = f"http://127.0.0.1:{port}"
    with log.open("wb") as file:
        with pinned(cores):
            process = subprocess.Popen(command, stderr=file)
        try:
            _wait_until_ready(process, address)
            yield process, address
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def _wait_until_ready(process: subprocess.Popen[bytes], address: str) -> None:
    while process.poll() is None:
        with suppress(OSError), urlopen(f"{address}/health/ready", timeout=5):
            return
        time.sleep(0.1)
    raise SystemExit("the service did not start")


def load(address: str, bodies: Path, clients: int, seconds: int) -> dict[str, Any]:
    """What wrk counted."""
    command = ["wrk", "-t1", f"-c{clients}", f"-d{seconds}s", "--timeout", "60s"]
    command += ["-s", str(ROOT / "benchmarks" / "service.lua"), address]
    environment = {**os.environ, "SERVICE_BODIES": str(bodies)}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    line = next(line for line in done.stdout.splitlines() if line.startswith("COUNTS "))
    counts: dict[str, Any] = json.loads(line.removeprefix("COUNTS "))
    return counts


def cpu_seconds(process: int) -> float:
    """Seconds of processor that a process has had."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(process: int) -> float:
    """Memory of a process."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def extractor_speed(extractor: Extractor, texts: list[str], seconds: int) -> dict[str, float]:
    """Texts per second of the extractor alone, in its own large batches."""
    wall, cpu, done = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - wall < seconds:
        done += sum(1 for _ in extractor.stream(texts))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {"texts_per_second": done / wall, "texts_per_cpu_second": done / cpu}


def side_by_side(texts: list[str], rounds: int, seconds: int, folder: Path) -> list[dict[str, Any]]:
    """The extractor and the service in turns on one core."""
    bodies, results = folder / "bodies.jsonl", []
    write_bodies(bodies, texts, with_long=False)
    core, *others = sorted(os.sched_getaffinity(0))
    own, rest = {core}, set(others or [core])
    extractor = Extractor.load()
    with service(folder / "service.log", own) as (process, address):
        load(address, bodies, CLIENTS, 3)
        for _ in range(rounds):
            with pinned(own):
                alone = extractor_speed(extractor, texts, seconds)
            before = cpu_seconds(process.pid)
            with pinned(rest):
                counts = load(address, bodies, CLIENTS, seconds)
            cpu = cpu_seconds(process.pid) - before
            served = {
                "texts_per_second": counts["answered"] / counts["seconds"],
                "texts_per_cpu_second": counts["answered"] / cpu,
                **counts,
            }
            results.append({"extractor": alone, "service": served})
    return results


def overload(texts: list[str], seconds: int, folder: Path) -> dict[str, Any]:
    """Memory, answers and refusals when far more is asked than can be done."""
    bodies, memory, ended = folder / "long.jsonl", [], threading.Event()
    write_bodies(bodies, texts, with_long=True)
    with service(folder / "overload.log", os.sched_getaffinity(0)) as (process, address):

        def watch() -> None:
            while not ended.wait(seconds / 60):
                memory.append(round(resident_mb(process.pid), 1))

        load(address, bodies, CROWD, WARM_UP)  # the memory of a busy service is what must stay
        watcher = threading.Thread(target=watch)
        watcher.start()
        counts = load(address, bodies, CROWD, seconds)
        ended.set()
        watcher.join()
        left = left_in_hand(address, patience=60)
    third = len(memory) // 3
    return {
        **counts,
        "resident_mb": memory,
        "growth": mean(memory[-third:]) / mean(memory[:third]),
        "left_in_hand": left,
    }


def left_in_hand(address: str, patience: float) -> int:
    """Requests that a service still has once it had time for those of clients that hung up."""
    until = time.monotonic() + patience
    while True:
        with urlopen(f"{address}/metrics") as answer:
            lines = answer.read().decode().splitlines()
        value = next(line for line in lines if line.startswith("biaffinity_requests_in_flight "))
        left = int(float(value.split()[1])) - 1  # this very question is one
        if not left or time.monotonic() > until:
            return left
        time.sleep(1)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    shared = Path(os.environ.get("BIAFFINITY_DATA", ROOT.parent / "shared" / "data")) / "conll04"
    parser.add_argument("--data", type=Path, default=shared if shared.is_dir() else None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=8, help="of every round")
    parser.add_argument("--overload", type=int, default=60, help="seconds; 0 for none")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    texts = read_texts(arguments.data)
    details: dict[str, Any] = {"clients": CLIENTS, "characters_per_text": mean(map(len, texts))}
    with tempfile.TemporaryDirectory() as name:
        rounds = side_by_side(texts, arguments.rounds, arguments.seconds, Path(name))
        details["rounds"] = rounds
        measured = _bars(rounds)
        if arguments.overload:
            details["overload"] = found = overload(texts, arguments.overload, Path(name))
            measured += _overload_bars(found)
    show(measured)
    if arguments.json:
        write(arguments.json, measured, details)


def _bars(rounds: list[dict[str, Any]]) -> list[Measured]:
    def share(kind: str) -> float:
        return 100 * median(one["service"][kind] / one["extractor"][kind] for one in rounds)

    served = [one["service"] for one in rounds]
    faults = sum(one["unwell"] + one["refused"] + one["broken"] + one["timeouts"] for one in served)
    return [
        Measured("extractor alone", median(r["extractor"]["texts_per_second"] for r in rounds), "texts/s"),
        Measured(f"service, {CLIENTS} clients", median(s["texts_per_second"] for s in served), "texts/s"),
        Measured("service against extractor, by the clock", share("texts_per_second"), "%", "at least", 60),
        Measured("service against extractor, by processor time", share("texts_per_cpu_second"), "%"),
        Measured("requests that were not answered with 200", faults, "", "at most", 0),
        Measured("99th percentile, median round", median(s["p99_ms"] for s in served), "ms", "under", 250),
    ]


def _overload_bars(found: dict[str, Any]) -> list[Measured]:
    faults = found["unwell"] + found["broken"] + found["timeouts"]
    return [
        Measured("overload: answered", found["answered"] / found["seconds"], "per s"),
        Measured("overload: refused with 429", found["refused"] / found["seconds"], "per s"),
        Measured("overload: neither answered nor refused", faults, "", "at most", 0),
        Measured("overload: left in hand afterwards", found["left_in_hand"], "", "at most", 0),
        Measured("overload: memory, last third against first", 100 * found["growth"], "%", "at most", 102),
        Measured("overload: memory at most", max(found["resident_mb"]), "MB"),
    ]


if __name__ == "__main__":
    main()
