"""From raw text to relations: speed, cold start, memory of a stream, and what raw text costs in score.

    python benchmarks/extraction.py [--data DIR] [--model M] [--stream N] [--json OUT]
    python benchmarks/extraction.py --only-stream --stream 1000000 --json results/stream.json

DIR holds CoNLL04's raw and tokenised files (by default from BIAFFINITY_DATA or ../shared/data); where it is
absent the texts are the demo's and no score is given. Run it on a quiet machine: two workers need two cores.
The memory of a stream is judged over a million texts: what is remembered of words fills up in the first
200,000 or so. That takes about a quarter of an hour.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from random import Random
from string import ascii_lowercase
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

from bars import Measured, show, write
from biaffinity import formats
from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.decoding.prediction import predict
from biaffinity.extraction.extractor import Extractor
from biaffinity.extraction.loading import model_folder
from biaffinity.runtime.network import OnnxNetwork
from biaffinity.scoring import score

ROOT = Path(__file__).parent.parent
TIMES = 12  # the texts over and over, so that start-up does not count
MILLION = 1_000_000
SAMPLES = 200  # of memory, over a stream
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


def stream_texts(folder: Path | None) -> list[str]:
    """The sentences of train and dev as they stand, and those without a relation, joined by spaces."""
    texts = read_texts(folder)
    if folder:
        with (folder / "dev.raw.jsonl").open(encoding="utf-8") as lines:
            texts += [json.loads(line)["text"] for line in lines]
        texts += [" ".join(sentence.tokens) for sentence in formats.read(folder / "norel.jsonl")]
    return texts


def varied(texts: list[str], count: int) -> Iterator[str]:
    """The texts over and over, each with a word in it that none before it had."""
    random = Random(1)
    for number, text in zip(range(count), cycle(texts), strict=False):
        words, letters = text.split(" "), ""
        while number:
            number, letter = divmod(number, 26)
            letters += ascii_lowercase[letter]
        place = random.randrange(len(words))
        words[place] = letters + words[place]
        yield " ".join(words)


def stream_memory(model: Path, folder: Path | None, count: int) -> dict[str, Any]:
    """Memory of this process in MB at many points of a stream of ``count`` texts, and its speed."""
    extractor, texts = Extractor(OnnxNetwork.load(model)), stream_texts(folder)
    points, tokens = [], 0
    cpu, wall = time.process_time(), time.perf_counter()
    for number, document in enumerate(extractor.stream(varied(texts, count)), start=1):
        tokens += sum(len(sentence) for sentence in document.sentences)
        if number % max(1, count // SAMPLES) == 0:
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            points.append(round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1))
            if len(points) % 20 == 0:
                print(f"{number:,} of {count:,} texts, {points[-1]:.0f} MB", file=sys.stderr, flush=True)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {
        "texts": count,
        "distinct_sentences": len(texts),
        "tokens": tokens,
        "tokens_per_cpu_second": tokens / cpu,
        "wall_seconds": wall,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6,
        "resident_mb": points,
    }


def in_child(work: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """The result of work in a process of its own, so that its memory is its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


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
    """Seconds from a cold shell to the answer, the best of five, and their peak memory.

    The peak is that of all children so far: this must be the first of them.
    """
    command = [sys.executable, "-m", "biaffinity", "extract", SENTENCE, *model]
    seconds = []
    for _ in range(5):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        seconds.append(time.perf_counter() - started)
    return {
        "seconds": min(seconds),
        "peak_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6,
    }


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


def speed_bars(results: dict[str, Any]) -> Iterator[Measured]:
    """The bars of speed and of one cold call."""
    rate, cold = results["stream"]["tokens_per_cpu_second"], results["cold_start"]
    yield Measured("raw text to relations, one thread", rate, "tokens/s", "at least", 20_000)
    yield Measured("two workers against one", results["workers"]["ratio"], "times", "at least", 1.7)
    yield Measured("extract of one sentence from a cold shell", cold["seconds"], "s", "at most", 1.0)
    yield Measured("its memory", cold["peak_mb"], "MB", "at most", 300)


def memory_bars(memory: dict[str, Any]) -> Iterator[Measured]:
    """The bars of a long stream; one of less than a million texts has none."""
    points, long = memory["resident_mb"], memory["texts"] >= MILLION
    grown = 100 * (max(points[len(points) // 2 :]) / max(points[: len(points) // 2]) - 1)
    what = f"{memory['texts']:,} texts streamed"
    yield Measured(f"{what}, peak of the worker", memory["peak_mb"], "MB", "under", 500 if long else None)
    yield Measured(f"{what}, peak of 2nd half over 1st", grown, "%", "at most", 2 if long else None)


def score_bars(test: dict[str, dict[str, float]]) -> Iterator[Measured]:
    """The bars of the embedded model on CoNLL04 test, the paper's metric, and of raw text against tokens."""
    gold, raw = test["gold tokens"], test["raw text"]
    for key, bar in (("ner", 86.2), ("rc", 64.4)):
        yield Measured(f"CoNLL04 test, {key.upper()}", 100 * gold[key], "", "at least", bar)
    for key in ("ner", "rc"):
        apart = 100 * abs(gold[key] - raw[key])
        yield Measured(f"{key.upper()} from raw text against gold tokens", apart, "points", "at most", 1.5)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    shared = Path(os.environ.get("BIAFFINITY_DATA", ROOT.parent / "shared" / "data")) / "conll04"
    parser.add_argument("--data", type=Path, default=shared if shared.is_dir() else None)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--stream", type=int, default=20_000, help="texts to stream for memory (Linux)")
    parser.add_argument("--only-stream", action="store_true", help="measure nothing else")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    folder = arguments.model or model_folder(None)
    results: dict[str, Any] = {}
    measured: list[Measured] = []
    if not arguments.only_stream:
        model = ["--model", str(arguments.model)] if arguments.model else []
        texts = read_texts(arguments.data)
        results["cold_start"] = cold_start(model)
        one, two = (command_seconds(texts, model, workers) for workers in (1, 2))
        results["workers"] = {"one_seconds": one, "two_seconds": two, "ratio": one / two}
        network = OnnxNetwork.load(folder)
        results["stream"] = stream_speed(Extractor(network), texts)
        measured += speed_bars(results)
        if arguments.data:
            results["test"] = raw_scores(network, arguments.data)
            measured += score_bars(results["test"])
    results["memory"] = in_child(stream_memory, folder, arguments.data, arguments.stream)
    measured += memory_bars(results["memory"])
    show(measured)
    if arguments.json:
        write(arguments.json, measured, results)


if __name__ == "__main__":
    main()
