"""Ray beside our own workers, and what many machines would do: measured here, then simulated.

    python benchmarks/scale.py [--texts N] [--rounds N] [--json OUT]

Our two workers and two actors on two nodes take turns over the same texts; the start of the cluster is not
counted, that of workers, actors, models, and in the first round of what Ray Data keeps on a cluster, is. The
simulation is given what one actor did with a tenth of the texts, and must foretell what one and two do with a
third of them; the same simulation then tells of up to a thousand cores.
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
from dataclasses import dataclass
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
from processes import ProcessorTime

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


def by_workers(source: Path, out: Path) -> dict[str, float]:
    """Our own two processes, into one Parquet file: seconds by the clock and of the processor."""
    load = partial(biaffinity.load, model_folder(None), threads=1)
    started = time.perf_counter()
    with ProcessorTime() as processor:
        for _ in extract_into(sink_named(None, out), Inputs([str(source)]), load, {}, workers=2):
            pass
        seconds = time.perf_counter() - started
    return {"clock": seconds, "processor": processor.seconds}


def by_ray(source: Path, out: Path, actors: int) -> dict[str, float]:
    """The same on the cluster that is connected to; when the first part was done, and its documents."""
    load = ModelLoader(model_folder(None), {"threads": 1})
    started, first, documents = time.perf_counter(), 0.0, 0
    with ProcessorTime() as processor:
        for event in extract_on_ray([str(source)], ParquetParts(str(out)), load, {}, Cluster(actors=actors)):
            if isinstance(event, Advanced) and not first:
                first, documents = time.perf_counter() - started, event.documents
        seconds = time.perf_counter() - started
    found = {"clock": seconds, "processor": processor.seconds}
    return {**found, "first part": first, "documents of it": documents}


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


def start_and_rate(run: dict[str, float], documents: int) -> tuple[float, float]:
    """Seconds before one actor begins to read, and documents a second from then on."""
    first = run["documents of it"]
    rate = (documents - first) / (run["clock"] - run["first part"])
    return max(0.0, run["first part"] - first / rate), rate


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
        sources = {}
        for share in (1, 3, 10):
            sources[share] = folder / f"{share}.jsonl"
            lines = (json.dumps({"text": text}) + "\n" for text in texts[: len(texts) // share])
            sources[share].write_text("".join(lines))
        workers, actors = [], []
        for number in range(given.rounds):
            workers.append(by_workers(sources[1], folder / f"workers-{number}.parquet"))
            actors.append(by_ray(sources[1], folder / f"actors-{number}", 2))
        tenth = by_ray(sources[10], folder / "tenth", 1)
        third = {count: by_ray(sources[3], folder / f"third-{count}", count) for count in (1, 2)}
        parts = len(make_plan([str(sources[3])], None))
    start, rate = start_and_rate(tenth, len(texts) // 10)
    part = len(texts) // 3 / parts / rate
    foretold = {count: simulated(Machines(count, 1, parts, part, start)) for count in third}
    measured = []
    for by in ("clock", "processor"):
        ratio = median(run[by] for run in workers) / median(run[by] for run in actors)
        what = f"two actors of Ray, our two workers, {len(texts):,} texts, {by}"
        measured.append(Measured(what, ratio, "times", "at least", 0.85))
    for count, run in third.items():
        what = f"nodes: {count}, foretold against measured"
        measured.append(Measured(what, foretold[count] / run["clock"], "times"))
    details: dict[str, Any] = {"texts": len(texts), "two workers": workers, "two actors": actors}
    details["one actor, a tenth of the texts"] = tenth
    details |= {f"actors: {count}, a third of the texts": run for count, run in third.items()}
    details |= {"foretold": foretold, "parts of a third": parts}
    details |= {"seconds to start": start, "documents per second and core": rate}
    details |= {"load of the machine": os.getloadavg()}
    details |= {"simulated": many_machines(RATE, DATABASE, start)}
    show(measured)
    for row in details["simulated"]:
        print("{documents:>13,} {cores:>5} {into:9} {hours:9.3f} h {busy:6.0%}".format(**row))
    if given.json:
        write(given.json, measured, details)


if __name__ == "__main__":
    main()
