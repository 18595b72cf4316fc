"""Prepare the data of the embedded news model (`make model`).

    python recipes/news_data.py ../shared/data/conll04 build/news

The training data is CoNLL04's train twice, cut anew from its raw text as the extractor will cut text and
in the corpus's own tokens, which whoever compares models reads, with the corpus's sentences without a
relation. Of those, the ones that repeat a test sentence are left out, one in ten is held out to count
spurious relations on, and one in twenty joins dev, so that an epoch that sees relations everywhere is not
chosen.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from biaffinity import formats
from biaffinity.annotation import Sentence

#: CoNLL04's tokens write opening and closing double quotes so; raw text has the mark itself.
QUOTES = {"`": '"', "``": '"', "'": '"', "''": '"'}


def prepare(data: Path, out: Path) -> None:
    """Write train, dev and held-out sentences into ``out``."""
    out.mkdir(parents=True, exist_ok=True)
    tested = {letters(sentence) for sentence in formats.read(data / "test.jsonl")}
    negative = [s for s in formats.read(data / "norel.jsonl") if len(s) and letters(s) not in tested]
    parts: dict[str, list[Sentence]] = {"train": [], "dev": [], "held_out": []}
    for sentence in negative:
        tokens = [QUOTES.get(token, token) for token in sentence.tokens]
        parts[part_of(sentence.id)].append(replace(sentence, tokens=tokens))
    for name in ("train", "dev"):
        related = [*cut_anew(data / f"{name}.raw.jsonl", out)]
        if name == "train":
            related += formats.read(data / "train.jsonl")
        formats.write(out / f"{name}.jsonl", [*related, *parts[name]], "jsonl")
    formats.write(out / "held_out.jsonl", parts["held_out"], "jsonl")


def cut_anew(path: Path, out: Path) -> Iterator[Sentence]:
    """The sentences of a raw file in our own tokens, each line kept whole."""
    bare = out / path.name
    with path.open(encoding="utf-8") as lines, bare.open("w", encoding="utf-8") as file:
        for line in lines:
            record = json.loads(line)
            del record["token_spans"]
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    yield from formats.read(bare, split=False)


def letters(sentence: Sentence) -> str:
    """What two sentences have in common that repeat each other: letters and digits, case ignored."""
    return "".join(c for c in "".join(sentence.tokens).casefold() if c.isalnum())


def class_of(name: str) -> int:
    """One of twenty classes of sentences without a relation, by its id alone."""
    return int(hashlib.md5(name.encode()).hexdigest(), 16) % 20


def part_of(name: str) -> str:
    """Where a sentence without a relation goes."""
    number = class_of(name)
    return "held_out" if number < 2 else "dev" if number == 2 else "train"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder of CoNLL04")
    parser.add_argument("out", type=Path, help="the folder to write")
    arguments = parser.parse_args()
    prepare(arguments.data, arguments.out)
