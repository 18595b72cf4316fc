"""Random kills: runs of every sink and both engines are killed at random moments, then gone on with.

    python benchmarks/kills.py [--kills N] [--seed N] [--json OUT]

A run with two workers (or, on Ray, two actors) is killed with all its processes after a random time, again
and again; then it comes to its end, and every document must be there once. PostgreSQL and Ray are left out
where they are not installed.
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

COUNT = 400
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


def command(source: Path, out: str, engine: str) -> list[str]:
    """A run that goes on with whatever is there."""
    options = ["--engine", "ray"] if engine == "ray" else []
    words = [sys.executable, "-m", "biaffinity", "extract", str(source), "--out", out, "--resume"]
    return [*words, "--workers", "2", *options]


def killed_run(source: Path, out: str, engine: str, chance: Random, kills: int, longest: float) -> int:
    """Kill a run so often, at moments of its own; then let it come to its end. How often it was killed."""
    done = 0
    for _ in range(kills):
        process = subprocess.Popen(
            command(source, out, engine),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        with suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0.0, longest))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            done += 1
        process.wait()
    last = subprocess.run(command(source, out, engine), capture_output=True, text=True, check=False)
    if last.returncode:
        raise SystemExit(f"{out}: {last.stderr}")
    return done


def main() -> None:
    """Kill, count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=100, help="over all sinks and engines")
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    chance, details = Random(arguments.seed), {}
    lost = doubled = kills = 0
    with tempfile.TemporaryDirectory() as name, server() as running:
        folder = Path(name)
        source = folder / "in.jsonl"
        lines = (json.dumps({"id": str(n), "text": TEXT.format(n)}) + "\n" for n in range(COUNT))
        source.write_text("".join(lines))
        outs: list[tuple[str, str]] = [
            (str(folder / each), "local") for each in ("a.jsonl", "a.csv", "a.parquet", "a.brat", "a.db")
        ]
        if running is not None:
            outs.append((running.empty_database(), "local"))
        if find_spec("ray"):
            outs.append((str(folder / "parts") + "/", "ray"))
            if running is not None:
                outs.append((running.empty_database("clustered"), "ray"))
        started = time.perf_counter()
        probe = command(source, str(folder / "probe.jsonl"), "local")
        subprocess.run(probe, check=True, capture_output=True)
        longest = 1.2 * (time.perf_counter() - started)
        for out, engine in outs:
            each = -(-arguments.kills // len(outs))
            own = killed_run(source, out, engine, chance, each, longest * (3 if engine == "ray" else 1))
            counts = Counter(names_in(out))
            kills += own
            lost += sum(str(n) not in counts for n in range(COUNT))
            doubled += sum(count > 1 for count in counts.values())
            kind = "PostgreSQL" if out.startswith("postgresql") else Path(out).name
            details[f"{kind}, {engine}"] = {"kills": own, "documents": sum(counts.values())}
    measured = [
        Measured("random kills over all sinks and engines", kills, ""),
        Measured("documents lost", lost, "", "at most", 0),
        Measured("documents doubled", doubled, "", "at most", 0),
    ]
    show(measured)
    print(json.dumps(details, indent=1))
    if arguments.json:
        found: dict[str, Any] = {"documents": COUNT, "load of the machine": os.getloadavg(), **details}
        write(arguments.json, measured, found)


if __name__ == "__main__":
    main()
