"""Ray beside our own workers, and what many machines would do: measured here, then simulated.

    python benchmarks/scale.py [--texts N] [--rounds N] [--json OUT]

Our two workers, one actor on one node and two actors on two nodes take turns over the same texts; the start
of the cluster is not counted, that of workers, actors and models is. The simulation is given what one actor
did, and must foretell what two do; the same simulation then tells of up to a thousand cores.
"""

from __future__ import annotations

import argparse
import heapq
import json
import math
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import biaffinity
from bars import Measured, show, write
from biaffinity.bulk.run import Advanced, extract_into
from biaffinity.bulk.sinks import sink_named
from biaffinity.bulk.sources import Inputs
from biaffinity.cluster.engine import Cluster, extract_on_ray
from biaffinity.cluster.model import ModelLoader
from biaffinity.cluster.parquet_parts import ParquetParts
from biaffinity.cluster.plan import make_plan
from biaffinity.extraction.loading import model_folder
from extraction import read_texts

ROOT = Path(__file__).parent.parent
#: Documents a second: of a quiet core, by results/extraction.json (29 tokens a text); and of one PostgreSQL
#: server, one connection at a time, eleven rows a document, on a busy machine (see docs/scale.md).
RATE, DATABASE = 1000.0, 2200.0


@dataclass(frozen=True, slots=True)
class Machines:
    """What a run on many machines takes: seconds, but for the counts and the spread.

    ``write`` is what a database, which all share, takes for a part; ``model`` is sent to a machine by
    one link, after the other machines before it; ``spread`` is the standard deviation of the logarithm of the
    parts' seconds.
    """

    actors: int
    per_machine: int
    parts: int
    part: float
    start: float
    model: float = 0.0
    handing_out: float = 0.002
    write: float = 0.0
    spread: float = 0.1


def simulated(run: Machines, seed: int = 17) -> float:
    """Seconds to the end: a part goes to whoever is free, and into the database when its turn comes."""
    chance = Random(seed)
    mean = run.part / math.exp(run.spread**2 / 2)
    # The model goes from the driver to one machine after the other.
    moments = [(run.start + run.model * (n // run.per_machine + 1), n, False) for n in range(run.actors)]
    heapq.heapify(moments)
    left, driver, database, end = run.parts, 0.0, 0.0, 0.0
    while moments:
        now, actor, writes = heapq.heappop(moments)
        if writes:
            database = end = max(database, now) + run.write
            heapq.heappush(moments, (database, actor, False))
        elif left:
            left -= 1
            driver = max(driver, now) + run.handing_out
            done = driver + mean * chance.lognormvariate(0.0, run.spread)
            heapq.heappush(moments, (done, actor, run.write > 0))
            end = max(end, done)
    return end


def seconds_of_workers(source: Path, folder: Path, workers: int, number: int) -> float:
    """Our own processes, into one Parquet file."""
    load = partial(biaffinity.load, model_folder(None), threads=1)
    started = time.perf_counter()
    sink = sink_named(None, folder / f"workers-{number}.parquet")
    for _ in extract_into(sink, Inputs([str(source)]), load, {}, workers=workers):
        pass
    return time.perf_counter() - started


def on_ray(source: Path, folder: Path, actors: int, number: int) -> dict[str, float]:
    """A run on the cluster that is connected to: its seconds, and those before the first part was done."""
    load = ModelLoader(model_folder(None), {"threads": 1})
    out = ParquetParts(str(folder / f"ray-{actors}-{number}"))
    started, first = time.perf_counter(), 0.0
    for event in extract_on_ray([str(source)], out, load, {}, Cluster(actors=actors)):
        if isinstance(event, Advanced) and not first:
            first = time.perf_counter() - started
    return {"seconds": time.perf_counter() - started, "first": first}


@contextmanager
def nodes() -> Iterator[Any]:
    """Two nodes of a core each on this machine."""
    import ray
    from ray.cluster_utils import Cluster as RayNodes

    cluster = RayNodes(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def foretold(one: dict[str, float], two: dict[str, float], parts: int) -> tuple[float, Machines]:
    """What two actors should take, by what one took, against what they did; and the simulation of one."""
    part = (one["seconds"] - one["first"]) / max(1, parts - 1)
    alone = Machines(actors=1, per_machine=1, parts=parts, part=part, start=max(0.0, one["first"] - part))
    return simulated(replace(alone, actors=2)) / two["seconds"], alone


def many_machines(rate: float, database: float, start: float) -> list[dict[str, Any]]:
    """A million and a billion documents by 1 to 1,600 cores, into files and into one database.

    ``rate`` is documents a second and core, ``database`` what one server takes in a second.
    """
    rows = []
    for documents in (1_000_000, 1_000_000_000):
        parts = max(64, documents // 25_000)  # texts of 160 characters in 4 MB
        part = documents / parts / rate
        for cores in (1, 2, 16, 160, 1600):
            for into, taken in (("files", 0.0), ("database", documents / parts / database)):
                run = Machines(cores, 16, parts, part, start, model=0.5, write=taken, spread=0.3)
                seconds = simulated(run)
                row = {"documents": documents, "cores": cores, "into": into, "hours": seconds / 3600}
                rows.append({**row, "busy": parts * part / cores / seconds})
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    shared = Path(os.environ.get("BIAFFINITY_DATA", ROOT.parent / "shared" / "data")) / "conll04"
    parser.add_argument("--data", type=Path, default=shared if shared.is_dir() else None)
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    try:
        import ray  # noqa: F401
    except ModuleNotFoundError:
        sys.exit("ray is not installed: nothing is measured here")
    texts = read_texts(given.data)
    texts = (texts * (given.texts // len(texts) + 1))[: given.texts]
    with tempfile.TemporaryDirectory() as name, nodes():
        folder = Path(name)
        source = folder / "in.jsonl"
        source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        parts = len(make_plan([str(source)], None))
        workers, ones, twos = [], [], []
        for number in range(given.rounds):
            workers.append(seconds_of_workers(source, folder, 2, number))
            twos.append(on_ray(source, folder, 2, number))
            ones.append(on_ray(source, folder, 1, number))
    one, two = (min(runs, key=lambda run: run["seconds"]) for runs in (ones, twos))
    ratio = median(workers) / median(run["seconds"] for run in twos)
    right, alone = foretold(one, two, parts)
    rate = len(texts) / parts / alone.part
    details = {"texts": len(texts), "parts": parts, "two workers": workers, "one actor": ones}
    details |= {"two actors": twos, "documents per second and core": rate}
    details |= {"load of the machine": os.getloadavg()}
    details |= {"simulated": many_machines(RATE, DATABASE, alone.start)}
    what = f"two actors of Ray against our two workers, {len(texts):,} texts"
    measured = [
        Measured(what, ratio, "times", "at least", 0.85),
        Measured("two nodes, foretold against measured", right, "times"),
    ]
    show(measured)
    for row in details["simulated"]:
        print("{documents:>13,} {cores:>5} {into:9} {hours:9.3f} h {busy:6.0%}".format(**row))
    if given.json:
        write(given.json, measured, details)


if __name__ == "__main__":
    main()
