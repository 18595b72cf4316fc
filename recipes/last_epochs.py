"""The data of a student's last epochs: gold once, and some of the sentences that teachers labelled.

    python recipes/last_epochs.py train.jsonl last.jsonl --labelled labels/labelled.jsonl --also more.jsonl

A student has read a hundred labelled sentences for each gold one. At the end it goes on with a few of them to
each (`biaffinity train --start`): gold alone would make it forget the rest.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

from biaffinity import formats
from biaffinity.distillation.mixture import plain

SENTENCES = 5000
#: Of the labelled sentences without a relation, one in so many may be drawn.
UNRELATED = 10


def prepare(
    gold: Path,
    out: Path,
    labelled: Sequence[Path],
    also: Sequence[Path] = (),
    *,
    count: int = SENTENCES,
    unrelated: int = UNRELATED,
) -> None:
    """Write the mixture."""
    numbers = random.Random(1)
    drawn = [
        sentence
        for path in labelled
        for sentence in formats.read(path)
        if len(sentence) <= 100 and (sentence.relations or numbers.randrange(unrelated) == 0)
    ]
    sentences = [*formats.read(gold), *numbers.sample(drawn, min(count, len(drawn)))]
    for path in also:
        sentences += formats.read(path)
    formats.write(out, map(plain, sentences), "jsonl")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("gold", type=Path, help="the gold sentences")
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument(
        "--labelled", type=Path, nargs="+", required=True, help="labelled.jsonl of distillations"
    )
    parser.add_argument("--also", type=Path, nargs="*", default=[], help="other sentences to read whole")
    parser.add_argument(
        "--sentences", type=int, default=SENTENCES, help=f"labelled ones to draw ({SENTENCES:,})"
    )
    parser.add_argument(
        "--unrelated", type=int, default=UNRELATED, help=f"one in so many without a relation ({UNRELATED})"
    )
    arguments = parser.parse_args()
    prepare(
        arguments.gold,
        arguments.out,
        arguments.labelled,
        arguments.also,
        count=arguments.sentences,
        unrelated=arguments.unrelated,
    )
