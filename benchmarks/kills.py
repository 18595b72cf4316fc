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
#: How much longer a run takes, its start included.
SLOWER = {"local": 1.0, "ray": 3.0}
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


def killed_once(source: Path, out: str, engine: str, seconds: float) -> bool:
    """Go on with a run for so long, then kill it and its processes; whether it had not come to its end."""
    process = subprocess.Popen(
        command(source, out, engine),
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


def wrong(source: Path, out: str, engine: str) -> tuple[int, int]:
    """Let a run come to its end: documents lost, and documents there more than once."""
    last = subprocess.run(command(source, out, engine), capture_output=True, text=True, check=False)
    if last.returncode:
        raise SystemExit(f"{out}: {last.stderr}")
    counts = Counter(names_in(out))
    return sum(str(n) not in counts for n in range(COUNT)), sum(count > 1 for count in counts.values())


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
        probe = command(source, str(folder / "probe.jsonl"), "local")
        started = time.perf_counter()
        subprocess.run(probe, check=True, capture_output=True)
        longest = 0.9 * (time.perf_counter() - started)
        kinds = [
            ("jsonl", "local"),
            ("csv", "local"),
            ("parquet", "local"),
            ("brat", "local"),
            ("db", "local"),
        ]
        if running is not None:
            kinds.append(("PostgreSQL", "local"))
        if find_spec("ray"):
            kinds.append(("parts/", "ray"))
            kinds += [("PostgreSQL", "ray")] if running is not None else []
        for kind, engine in kinds:
            own = runs = 0
            while own < -(-arguments.kills // len(kinds)):
                runs += 1
                out = str(folder / f"{engine}-{runs}.") + kind
                if kind == "PostgreSQL" and running is not None:
                    out = running.empty_database(engine)
                for _ in range(3):  # a run is killed several times, then comes to its end
                    own += killed_once(source, out, engine, chance.uniform(0.0, longest) * SLOWER[engine])
                less, more = wrong(source, out, engine)
                lost, doubled = lost + less, doubled + more
            kills += own
            details[f"{kind}, {engine}"] = {"kills": own, "runs": runs}
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
