"""Random kills: runs of every sink and both engines are killed at random moments, then gone on with.

    python benchmarks/kills.py [--kills N] [--seed N] [--json OUT]

A run with two workers (or, on Ray, two actors) is killed with all its processes after a random time, up
to three times; then it comes to its end, and every document must be there once. What Ray has started in the
background dies a moment later by itself, and may write a part meanwhile: that must do no harm. PostgreSQL and
Ray are left out where they are not installed.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from bars import Measured, show, write
from biaffinity.store import open_store
from sinks import server

#: Enough for several commits, and on Ray for as many parts as there are files.
COUNT, FILES = 1600, 16
TEXT = "Ilka Roe, number {}, lives in Ghent and works for Norvik Oil. Tomas Quill was born in Utrecht."


def names_in(out: str) -> list[str]:
    """The documents that an output holds; of CSV those that have a relation, once each."""
    path = Path(out)
    if out.startswith("postgresql") or out.endswith(".db"):
        with open_store(out) as database:
            return [name for (name,) in database.select("SELECT name FROM documents")]
    if out.endswith(".jsonl"):
        return [json.loads(line)["id"] for line in path.read_text().splitlines()]
    if out.endswith(".csv"):
        with path.open(newline="") as file:
            rows = [tuple(row.values()) for row in csv.DictReader(file)]
        twice = [row[0] for row, count in Counter(rows).items() if count > 1]
        return [*dict.fromkeys(row[0] for row in rows), *twice]
    if path.is_dir() and any(path.glob("*.txt")):
        return [each.stem for each in path.glob("*.txt")]
    from pyarrow import parquet

    return [str(name) for name in parquet.read_table(path)["id"].to_pylist()]


def command(files: Sequence[str], out: str, engine: str) -> list[str]:
    """A run that goes on with whatever is there."""
    options = ["--engine", "ray"] if engine == "ray" else []
    words = [sys.executable, "-m", "biaffinity", "extract", *files, "--out", out, "--resume"]
    return [*words, "--workers", "2", *options]


def seconds_of(files: Sequence[str], out: str, engine: str) -> float:
    """How long a run takes that nobody kills."""
    started = time.perf_counter()
    to_its_end(files, out, engine)
    return time.perf_counter() - started


def to_its_end(files: Sequence[str], out: str, engine: str) -> str:
    """Let a run come to its end; what it told."""
    run = subprocess.run(command(files, out, engine), capture_output=True, text=True, check=False)
    if run.returncode:
        raise SystemExit(f"{out}: {run.stderr}")
    return run.stderr


def killed_once(files: Sequence[str], out: str, engine: str, seconds: float) -> bool:
    """Go on with a run for so long, then kill it and its processes; whether it had not come to its end."""
    process = subprocess.Popen(
        command(files, out, engine),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    killed = process.poll() is None
    if killed:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return killed


def wrong(files: Sequence[str], out: str, engine: str) -> tuple[int, int, bool]:
    """Let a run come to its end: documents lost, documents there more than once, and whether it went on."""
    told = to_its_end(files, out, engine)
    counts = Counter(names_in(out))
    lost, doubled = sum(str(n) not in counts for n in range(COUNT)), sum(n > 1 for n in counts.values())
    return lost, doubled, "going on after" in told


def main() -> None:
    """Kill, count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=100, help="over all sinks and engines")
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    chance, lost, doubled, round_ = Random(arguments.seed), 0, 0, 0
    with tempfile.TemporaryDirectory() as name, server() as running:
        folder = Path(name)
        lines = [json.dumps({"id": str(n), "text": TEXT.format(n)}) + "\n" for n in range(COUNT)]
        files = [str(folder / f"{number}.jsonl") for number in range(FILES)]
        for number, file in enumerate(files):
            Path(file).write_text("".join(lines[number::FILES]))
        sinks = [(kind, "local") for kind in ("jsonl", "csv", "parquet", "brat", "db")]
        sinks += [("PostgreSQL", "local")] if running is not None else []
        seconds = {"local": seconds_of(files, str(folder / "probe.jsonl"), "local")}
        if find_spec("ray"):
            sinks += [("parts/", "ray"), *([("PostgreSQL", "ray")] if running is not None else [])]
            seconds["ray"] = seconds_of(files, f"{folder}/probe/", "ray")
        kills = dict.fromkeys(sinks, 0)
        gone_on = dict.fromkeys(sinks, 0)
        while sum(kills.values()) < arguments.kills:
            round_ += 1
            for sink in sinks:
                kind, engine = sink
                out = str(folder / f"{engine}-{round_}.") + kind
                if kind == "PostgreSQL" and running is not None:
                    out = running.empty_database(engine)
                for _ in range(3):  # a run is killed several times, then comes to its end
                    if not killed_once(files, out, engine, chance.uniform(0.0, 0.9 * seconds[engine])):
                        break
                    kills[sink] += 1
                less, more, went_on = wrong(files, out, engine)
                lost, doubled, gone_on[sink] = lost + less, doubled + more, gone_on[sink] + went_on
            measured = [
                Measured("random kills over all sinks and engines", sum(kills.values()), "", "at least", 100),
                Measured("documents lost", lost, "", "at most", 0),
                Measured("documents doubled", doubled, "", "at most", 0),
            ]
            show(measured)
            if arguments.json:
                details: dict[str, Any] = {"documents": COUNT, "seconds of a run": seconds, "runs": round_}
                details |= {"load of the machine": os.getloadavg()}
                for (kind, engine), count in kills.items():
                    told = {"kills": count, "runs gone on with": gone_on[kind, engine]}
                    details[f"{kind}, {engine}"] = told
                write(arguments.json, measured, details)


if __name__ == "__main__":
    main()
