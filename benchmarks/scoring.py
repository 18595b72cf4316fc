"""How long scoring takes: reading both files, scoring them, and resampling, on made-up sentences.

    python benchmarks/scoring.py --sentences 100000 --bootstrap 1000

Prints one JSON object. `read_s` reads gold and prediction and does nothing else, `score_s` reads and
scores them; the difference is the scoring.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.formats import read, write
from biaffinity.scoring import count, score, with_intervals

ENTITY_TYPES = ("Loc", "Org", "Other", "Peop")
RELATION_TYPES = ("Kill", "Live_In", "Located_In", "OrgBased_In", "Work_For")
TOKENS, ENTITIES = 30, 4  # a sentence; with one relation or two


def sentences(number: int, *, wrong: float) -> Iterator[Sentence]:
    """Sentences that are the same for every share of wrong entities and relations, those aside."""
    shape, noise = random.Random(1), random.Random(2)
    for index in range(number):
        tokens = [f"w{shape.randrange(20_000)}" for _ in range(TOKENS)]
        starts = sorted(shape.sample(range(0, TOKENS - 2, 3), ENTITIES))
        entities = [Entity(s, s + shape.choice((1, 2)), shape.choice(ENTITY_TYPES)) for s in starts]
        pairs = shape.sample([(h, t) for h in range(ENTITIES) for t in range(ENTITIES) if h != t], 2)
        relations = [Relation(shape.choice(RELATION_TYPES), *pair) for pair in pairs[: 1 + index % 2]]
        entities = [
            Entity(e.start, e.end, noise.choice(ENTITY_TYPES)) if noise.random() < wrong else e
            for e in entities
        ]
        yield Sentence(tokens, entities, [r for r in relations if noise.random() >= wrong], id=str(index))


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return round(time.perf_counter() - start, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sentences", type=int, default=100_000)
    parser.add_argument("--bootstrap", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        gold, predicted = Path(folder, "gold.jsonl"), Path(folder, "predicted.jsonl")
        write(gold, sentences(options.sentences, wrong=0.0))
        write(predicted, sentences(options.sentences, wrong=0.2))
        result: dict[str, object] = {
            "sentences": options.sentences,
            "megabytes": round(sum(path.stat().st_size for path in (gold, predicted)) / 1e6),
            "read_s": seconds(lambda: [deque(read(path), maxlen=0) for path in (gold, predicted)]),
            "score_s": seconds(lambda: score(read(gold), read(predicted))),
            "score_peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        }
        if options.bootstrap:
            tally = count(read(gold), read(predicted))
            result["bootstrap"] = options.bootstrap
            result["bootstrap_s"] = seconds(lambda: with_intervals(tally, samples=options.bootstrap))
            result["bootstrap_peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(result))


if __name__ == "__main__":
    main()
