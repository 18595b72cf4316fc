"""From raw text to relations with the embedded model: speed, cold start, and what raw text costs in score.

    python benchmarks/extraction.py [--data DIR] [--model M] [--stream N] [--json OUT]

DIR holds CoNLL04's raw and tokenised files (by default from BIAFFINITY_DATA or ../shared/data); where it is
absent the texts are the demo's and no score is given. Run it on a quiet machine: two workers need two cores.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

from biaffinity import formats
from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.extraction.extractor import EMBEDDED, Extractor
from biaffinity.extraction.onnx_network import OnnxNetwork
from biaffinity.model.prediction import predict
from biaffinity.scoring import score

ROOT = Path(__file__).parent.parent
TIMES = 12  # the texts over and over, so that start-up does not count
SENTENCE = "David Foster is the AP's Northwest regional reporter, based in Seattle."


def read_texts(folder: Path | None) -> list[str]:
    """One text per sentence of the training data."""
    path = folder / "train.raw.jsonl" if folder else ROOT / "samples" / "demo" / "train.jsonl"
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def stream_speed(extractor: Extractor, texts: list[str]) -> dict[str, Any]:
    """Tokens per second of one thread, tokenisation included, words met before."""
    for _ in extractor.stream(texts):
        pass
    cpu, wall, tokens = time.process_time(), time.perf_counter(), 0
    for document in extractor.stream(texts * 3):
        tokens += sum(len(sentence) for sentence in document.sentences)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {"tokens": tokens, "tokens_per_cpu_second": tokens / cpu, "tokens_per_second": tokens / wall}


def stream_memory(extractor: Extractor, texts: list[str], count: int) -> dict[str, Any]:
    """Memory in MB at ten points of a stream of ``count`` texts, and tokens per second over all of it."""
    points, tokens, started = [], 0, time.perf_counter()
    varied = (f"{text} {number}" for number, text in zip(range(count), cycle(texts), strict=False))
    for number, document in enumerate(extractor.stream(varied)):
        tokens += sum(len(sentence) for sentence in document.sentences)
        if number % max(1, count // 10) == 0:
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            points.append(round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6))
    seconds = time.perf_counter() - started
    return {"texts": count, "tokens_per_second": tokens / seconds, "resident_mb": points}


def command_seconds(texts: list[str], model: list[str], workers: int) -> float:
    """Wall seconds of ``biaffinity extract`` over the texts many times, JSON lines in and out."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "in.jsonl"
        source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts * TIMES))
        command = [sys.executable, "-m", "biaffinity", "extract", str(source), "--out", f"{folder}/out.jsonl"]
        started = time.perf_counter()
        subprocess.run([*command, "--workers", str(workers), *model], check=True, capture_output=True)
        return time.perf_counter() - started


def cold_start(model: list[str]) -> dict[str, float]:
    """Seconds from a cold shell to the answer, the best of five, and the peak memory of a child."""
    command = [sys.executable, "-m", "biaffinity", "extract", SENTENCE, *model]
    seconds = []
    for _ in range(5):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        seconds.append(time.perf_counter() - started)
    return {"seconds": min(seconds), "peak_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024}


def by_characters(path: Path) -> Iterator[Sentence]:
    """Gold of a raw file as sentences whose tokens are the characters of the text."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            entities = [Entity(e["start"], e["end"], e["type"]) for e in record["entities"]]
            relations = [Relation(r["type"], r["head"], r["tail"]) for r in record["relations"]]
            yield Sentence(list(record["text"]), entities, relations, id=record["id"])


def raw_scores(network: OnnxNetwork, folder: Path) -> dict[str, dict[str, float]]:
    """The paper's NER and RC on test from gold tokens, and from raw text by character spans."""
    extractor = Extractor(network)
    sentences = list(formats.read(folder / "test.jsonl"))
    gold = list(by_characters(folder / "test.raw.jsonl"))
    found = []
    for sentence, document in zip(gold, extractor.stream(["".join(s.tokens) for s in gold]), strict=True):
        mentions = document.entities
        entities = [Entity(m.start_char, m.end_char, m.type) for m in mentions]
        relations = [
            Relation(f.type, mentions.index(f.head), mentions.index(f.tail)) for f in document.relations
        ]
        found.append(sentence.annotated(entities, relations))
    sheets = {
        "gold tokens": score(sentences, predict(network, sentences)),
        "raw text": score(gold, found),
    }
    return {name: {key: sheet["paper", key].f1 for key in ("ner", "rc")} for name, sheet in sheets.items()}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    shared = Path(os.environ.get("BIAFFINITY_DATA", ROOT.parent / "shared" / "data")) / "conll04"
    parser.add_argument("--data", type=Path, default=shared if shared.is_dir() else None)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--stream", type=int, default=20_000, help="texts to stream for memory (Linux)")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    model = ["--model", str(arguments.model)] if arguments.model else []
    network = OnnxNetwork.load(arguments.model or EMBEDDED)
    texts = read_texts(arguments.data)
    one, two = (command_seconds(texts, model, workers) for workers in (1, 2))
    results: dict[str, Any] = {
        "stream": stream_speed(Extractor(network), texts),
        "command": {"one_worker_seconds": one, "two_workers_seconds": two, "ratio": one / two},
        "cold_start": cold_start(model),
        "memory": stream_memory(Extractor(network), texts, arguments.stream),
    }
    if arguments.data:
        results["test"] = raw_scores(network, arguments.data)
    print(json.dumps(results, indent=2))
    if arguments.json:
        from biaffinity.training.provenance import provenance

        arguments.json.write_text(json.dumps({**provenance(), **results}, indent=2) + "\n")


if __name__ == "__main__":
    main()
