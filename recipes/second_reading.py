"""The data of a student's second reading: the text that is nearest to the corpus, and some of the rest.

    python recipes/second_reading.py train.jsonl wire/labelled.jsonl out.jsonl --rest labels/labelled.jsonl

A student reads far more text of other kinds than of the corpus's own. What is near it comes last, with gold
several times over, and with as much of the rest as keeps the student from forgetting it.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.distillation.mixture import write_mixture

GOLD_TIMES = 8
#: Sentences of the rest.
REST = 40_000


def prepare(
    gold: Path, near: Path, out: Path, *, rest: Sequence[Path], also: Sequence[Path], held_out: Sequence[Path]
) -> None:
    """Write the mixture; labelled sentences that stand in gold or are ``held_out`` are left out."""
    others = list(read(rest))
    drawn = random.Random(1).sample(others, min(REST, len(others)))
    labelled = chain(formats.read(near), drawn, read(also))
    write_mixture(out, list(formats.read(gold)), labelled, times=GOLD_TIMES, held_out=read(held_out))


def read(paths: Iterable[Path]) -> Iterable[Sentence]:
    """The sentences of several files."""
    return chain.from_iterable(map(formats.read, paths))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("gold", type=Path, help="the gold sentences")
    parser.add_argument("near", type=Path, help="labelled sentences that are near them, read whole")
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument("--rest", type=Path, nargs="+", required=True, help="sentences to draw from")
    parser.add_argument("--also", type=Path, nargs="*", default=[], help="other sentences to read whole")
    parser.add_argument("--held-out", type=Path, nargs="*", default=[], help="sentences to leave out")
    a = parser.parse_args()
    prepare(a.gold, a.near, a.out, rest=a.rest, also=a.also, held_out=a.held_out)
