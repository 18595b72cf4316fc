"""Random kills: runs of every sink and both engines are killed at random moments, then gone on with.

    python benchmarks/kills.py [--kills N] [--seed N] [--json OUT]

A run with two workers (or, on Ray, two actors) is killed with all its processes after a random time, again
and again; then it comes to its end, and every document must be there once. What Ray has started in the
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
COUNT, FILES = 3000, 20
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
    subprocess.run(command(files, out, engine), check=True, capture_output=True)
    return time.perf_counter() - started


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
    last = subprocess.run(command(files, out, engine), capture_output=True, text=True, check=False)
    if last.returncode:
        raise SystemExit(f"{out}: {last.stderr}")
    counts = Counter(names_in(out))
    lost, doubled = sum(str(n) not in counts for n in range(COUNT)), sum(n > 1 for n in counts.values())
    return lost, doubled, "going on after" in last.stderr


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
        lines = [json.dumps({"id": str(n), "text": TEXT.format(n)}) + "\n" for n in range(COUNT)]
        files = [str(folder / f"{number}.jsonl") for number in range(FILES)]
        for number, file in enumerate(files):
            Path(file).write_text("".join(lines[number::FILES]))
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
        probes = {"local": "probe.jsonl", "ray": "probe/"}
        seconds = {
            engine: seconds_of(files, f"{folder}/{probes[engine]}", engine)
            for engine in dict.fromkeys(engine for _, engine in kinds)
        }
        for kind, engine in kinds:
            own = runs = gone_on = 0
            while own < -(-arguments.kills // len(kinds)):
                runs += 1
                out = str(folder / f"{engine}-{runs}.") + kind
                if kind == "PostgreSQL" and running is not None:
                    out = running.empty_database(engine)
                for _ in range(3):  # a run is killed several times, then comes to its end
                    own += killed_once(files, out, engine, chance.uniform(0.0, 0.9 * seconds[engine]))
                less, more, went_on = wrong(files, out, engine)
                lost, doubled, gone_on = lost + less, doubled + more, gone_on + went_on
            kills += own
            details[f"{kind}, {engine}"] = {"kills": own, "runs": runs, "runs gone on with": gone_on}
    measured = [
        Measured("random kills over all sinks and engines", kills, "", "at least", 100),
        Measured("documents lost", lost, "", "at most", 0),
        Measured("documents doubled", doubled, "", "at most", 0),
    ]
    show(measured)
    print(json.dumps(details, indent=1))
    if arguments.json:
        found: dict[str, Any] = {"documents": COUNT, "seconds of a run": seconds}
        found |= {"load of the machine": os.getloadavg(), **details}
        write(arguments.json, measured, found)


if __name__ == "__main__":
    main()
