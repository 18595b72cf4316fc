"""Models beside each other, taking turns on one core: tokens a second of processor time, from raw text.

    python benchmarks/models.py TEXT MODEL MODEL... [--json OUT]

TEXT is what `biaffinity extract` reads. The ratio is to the first model, the median over the rounds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from itertools import islice
from pathlib import Path

import biaffinity
from biaffinity.bulk.readers import Text
from biaffinity.bulk.sources import Inputs
from biaffinity.training.provenance import provenance

ROUNDS = 5
TEXTS = 400


def rate(extractor: biaffinity.Extractor, texts: list[str]) -> float:
    """Tokens a second of processor time."""
    started = time.process_time()
    tokens = sum(len(sentence) for document in extractor.stream(texts) for sentence in document.sentences)
    return tokens / (time.process_time() - started)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("text")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    items = (item for item in Inputs([arguments.text]) if isinstance(item, Text))
    texts = [item.text for item in islice(items, TEXTS)]
    extractors = [biaffinity.load(model) for model in arguments.models]
    for extractor in extractors:  # a first reading fills what an extractor remembers of words
        rate(extractor, texts)
    rounds = [[rate(extractor, texts) for extractor in extractors] for _ in range(ROUNDS)]
    found = {
        Path(model).name: {
            "tokens per second": round(statistics.median(row[column] for row in rounds)),
            "ratio to the first": round(statistics.median(row[column] / row[0] for row in rounds), 3),
        }
        for column, model in enumerate(arguments.models)
    }
    print(json.dumps(found, indent=2))
    if arguments.json:
        arguments.json.write_text(
            json.dumps({**provenance(), "command": Path(sys.argv[0]).name, "models": found}, indent=2) + "\n"
        )


if __name__ == "__main__":
    main()
