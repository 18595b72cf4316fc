"""What databases cost beside files: speed, memory over a long stream, and adding to a store that is large.

    python benchmarks/sinks.py [--texts N] [--rounds N] [--relations N] [--stream N] [--json OUT]

Sinks take turns in one process, so that a busy machine slows all of them alike; ratios are of medians, once
by the clock and once by processor time, that of the server included, which a busy machine changes less. The
memory of reader and writer is that of a process that annotates nothing: it remembers what was found in the
few texts of a long stream, of which some 90,000 fill SQLite's cache of pages. The PostgreSQL server is one of
our own, on a socket, with fsync; without it (or the extra) it is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import biaffinity
from bars import Measured, show, write
from biaffinity.annotation import Document
from biaffinity.bulk.run import Advanced, extract_into
from biaffinity.bulk.sinks import sink_named
from biaffinity.bulk.sources import Inputs
from biaffinity.store import open_store
from biaffinity.store.documents import DocumentWriter, StoredDocument
from extraction import in_child, read_texts
from store.server import Server, programs, temporary_folder

ROOT = Path(__file__).parent.parent
ADDED = 1000
BARS = {"SQLite": 0.85, "PostgreSQL": 0.7}


@contextmanager
def server() -> Iterator[Server | None]:
    """A server of our own, if it can be had."""
    try:
        import psycopg  # noqa: F401
    except ModuleNotFoundError:
        yield None
        return
    if (found := programs()) is None:
        yield None
        return
    folder = temporary_folder()
    try:
        running = Server(folder, found, durable=True)
        try:
            yield running
        finally:
            running.stop()
    finally:
        shutil.rmtree(folder)


def seconds_into(out: str, source: Path, extractor: Any) -> float:
    """Wall seconds of a whole run into a new sink, the model loaded already."""
    started = time.perf_counter()
    for _ in extract_into(sink_named(None, out), Inputs([str(source)]), lambda: extractor, {}):
        pass
    return time.perf_counter() - started


def filled(store: str, relations: int) -> None:
    """Fill a store with documents of four relation mentions each, whose names are in no order."""
    chance = Random(17)
    names = [f"{chance.getrandbits(64):016x}" for _ in range(relations // 4)]
    words = [f"Name{number}" for number in range(50_000)]
    with open_store(store) as database:
        writer = DocumentWriter(database, "filler", {})
        for start in range(0, len(names), 2000):
            documents = []
            for name in names[start : start + 2000]:
                chosen = chance.choices(words, k=6)
                text = " met ".join(chosen)
                mentions, place = [], 0
                for word in chosen:
                    mentions.append((word, "Peop", place, place + len(word), 0.9))
                    place += len(word) + 5
                pairs = [("Live_In", n, n + 1, 0.5, 0, len(text)) for n in range(4)]
                documents.append(StoredDocument(name, text, mentions, pairs))
            with database.transaction():
                writer.write(documents)


def processor_seconds(running: Server | None) -> float:
    """Of this process, and of the server with those of its processes that have ended."""
    if running is None:
        return time.process_time()
    number = int((running.folder / "data" / "postmaster.pid").read_text().split()[0])
    fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    return time.process_time() + sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def speeds(
    places: dict[str, Any], source: Path, extractor: Any, rounds: int, running: Server | None
) -> dict[str, dict[str, list[float]]]:
    """Seconds of every sink, turn by turn, by the clock and of the processor."""
    found: dict[str, dict[str, list[float]]] = {name: {"clock": [], "processor": []} for name in places}
    for number in range(rounds):
        for name, new in places.items():
            out = new(f"speed-{number}")
            before = processor_seconds(running)
            found[name]["clock"].append(seconds_into(out, source, extractor))
            time.sleep(0.2)  # until the server has counted what has just ended
            found[name]["processor"].append(processor_seconds(running) - before)
    return found


class Remembered:
    """What was found in texts before, under the ids that they have now."""

    def __init__(self, texts: list[str]) -> None:
        documents = biaffinity.load(threads=1).stream(texts)
        self.found = dict(zip(texts, documents, strict=True))

    def stream(self, texts: Iterable[tuple[str, str]]) -> Iterator[tuple[Document, str]]:
        """The documents of texts, each with its id."""
        return ((replace(self.found[text], id=name), name) for text, name in texts)


def memory_into(out: str, source: Path, texts: list[str]) -> dict[str, Any]:
    """Memory of this process in MB, a hundred times over a run in which nothing is annotated."""
    remembered, size, points = Remembered(texts), source.stat().st_size, list[float]()
    for event in extract_into(sink_named(None, out), Inputs([str(source)]), lambda: remembered, {}):
        if isinstance(event, Advanced) and event.read * 100 >= size * (len(points) + 1):
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            points.append(round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1))
    return {"resident_mb": points}


def growth(points: list[float]) -> float:
    """The peak of the second half over that of the first, in percent."""
    half = len(points) // 2
    return 100 * (max(points[half:]) / max(points[:half]) - 1)


def additions(large: str, new: Any, texts: list[str], extractor: Any, folder: Path, rounds: int) -> Any:
    """Seconds of adding documents to a large store and to an empty one, turn by turn."""
    found: dict[str, list[float]] = {"empty": [], "large": []}
    for number in range(rounds):
        source = folder / f"more-{number}.jsonl"
        lines = (json.dumps({"id": f"{number}-{n}", "text": text}) + "\n" for n, text in enumerate(texts))
        source.write_text("".join(lines))
        found["empty"].append(seconds_into(new(f"added-{number}"), source, extractor))
        found["large"].append(seconds_into(large, source, extractor))
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    shared = Path(os.environ.get("BIAFFINITY_DATA", ROOT.parent / "shared" / "data")) / "conll04"
    parser.add_argument("--data", type=Path, default=shared if shared.is_dir() else None)
    parser.add_argument("--texts", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--relations", type=int, default=1_000_000, help="of the store that is added to")
    parser.add_argument("--stream", type=int, default=250_000, help="texts to judge memory by (Linux)")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    distinct = read_texts(arguments.data)
    texts = list(islice(cycle(distinct), arguments.texts))
    extractor = biaffinity.load(threads=1)
    measured: list[Measured] = []
    details: dict[str, Any] = {"texts": len(texts), "load of the machine": os.getloadavg()}
    with tempfile.TemporaryDirectory() as name, server() as running:
        folder = Path(name)
        source = folder / "in.jsonl"
        source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        places: dict[str, Any] = {"JSON lines": lambda what: str(folder / f"{what}.jsonl")}
        places["SQLite"] = lambda what: str(folder / f"{what}.db")
        if running is not None:
            places["PostgreSQL"] = lambda what: running.empty_database()
        seconds_into(str(folder / "warm.jsonl"), source, extractor)
        details["seconds"] = found = speeds(places, source, extractor, arguments.rounds, running)
        databases = [sink for sink in found if sink in BARS]
        for sink in databases:
            for by in ("clock", "processor"):
                ratio = median(found["JSON lines"][by]) / median(found[sink][by])
                what = f"extract into {sink} against JSON lines, {by}"
                measured.append(Measured(what, ratio, "times", "at least", BARS[sink]))
        source = folder / "long.jsonl"
        with source.open("w") as file:
            for text in islice(cycle(distinct), arguments.stream):
                file.write(json.dumps({"text": text}) + "\n")
        for sink, new in places.items():
            memory = in_child(memory_into, new("stream"), source, distinct)
            details[f"{sink}: memory over {arguments.stream:,} texts"] = memory
            what = f"memory into {sink}, {arguments.stream:,} texts, 2nd half"
            measured.append(Measured(what, growth(memory["resident_mb"]), "% more", "at most", 2))
        for sink in databases:
            # Of PostgreSQL one database is large and another is emptied each time.
            large = (
                running.empty_database("large") if sink == "PostgreSQL" and running else places[sink]("large")
            )
            started = time.perf_counter()
            filled(large, arguments.relations)
            details[f"{sink}: seconds to fill"] = time.perf_counter() - started
            added = additions(large, places[sink], texts[:ADDED], extractor, folder, arguments.rounds)
            details[f"{sink}: seconds to add {ADDED}"] = added
            ratio = median(added["large"]) / median(added["empty"])
            what = f"{ADDED:,} documents to {arguments.relations:,} relations, {sink}"
            measured.append(Measured(what, ratio, "times", "at most", 1.3))
    show(measured)
    if arguments.json:
        write(arguments.json, measured, details)


if __name__ == "__main__":
    main()
