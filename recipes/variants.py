"""Variants of gold sentences for teachers to label: other names of a type, other words of like meaning.

    python recipes/variants.py train.jsonl names.jsonl ../shared/vectors/glove.6B.100d.words.txt OUT

A student learns what its teachers make of text, and most text is far from the corpus. These sentences are
near it: each entity may give way to another of its type (of ``names.jsonl``), and a word to one of its
neighbours among the word vectors (as for TinyBERT, Jiao et al. 2020). They carry no labels: a changed
sentence need not state what it did, so teachers read it as any other text.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.files import writing

#: Variants of a sentence with a relation, and of one without.
RELATED, UNRELATED = 24, 5
#: How often a name gives way to another, and a word to one of its neighbours.
NAME, WORD = 0.6, 0.2
NEIGHBOURS = 8
#: Shorter words are mostly those that say how others are related: they stay.
SHORTEST_WORD = 4


def prepare(gold: Path, names: Path, vectors: Path, out: Path) -> None:
    """Write the variants."""
    sentences = list(formats.read(gold))
    inventory = names_by_type(formats.read(names))
    neighbours = nearest({token.lower() for sentence in sentences for token in sentence.tokens}, vectors)
    numbers = random.Random(1)
    with writing(out) as file:
        for sentence in variants(sentences, inventory, neighbours, numbers):
            file.write(
                json.dumps({"id": sentence.id, "text": " ".join(sentence.tokens)}, ensure_ascii=False) + "\n"
            )


def names_by_type(sentences: Iterator[Sentence]) -> dict[str, list[Sequence[str]]]:
    """The distinct names of every type, in a fixed order."""
    met = {(e.type, tuple(s.tokens[e.start : e.end])) for s in sentences for e in s.entities}
    inventory: dict[str, list[Sequence[str]]] = {}
    for type_, name in sorted(met):
        inventory.setdefault(type_, []).append(name)
    return inventory


def nearest(words: set[str], vectors: Path) -> dict[str, list[str]]:
    """The nearest neighbours of every word that has a vector, by cosine, among the 50,000 most frequent."""
    known = vectors.read_text(encoding="utf-8").split("\n")[:50_000]
    matrix = np.load(vectors.with_name(vectors.name.replace(".words.txt", ".f16.npy")))[: len(known)]
    matrix = matrix.astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True) + 1e-9
    wanted = {word for word in words if word.isalpha() and len(word) >= SHORTEST_WORD}
    rows = [row for row, word in enumerate(known) if word in wanted]
    found: dict[str, list[str]] = {}
    for first in range(0, len(rows), 1000):
        part = rows[first : first + 1000]
        near = np.argpartition(-(matrix[part] @ matrix.T), NEIGHBOURS + 1, axis=1)[:, : NEIGHBOURS + 1]
        for row, others in zip(part, near, strict=True):
            found[known[row]] = [known[o] for o in sorted(others) if o != row and known[o].isalpha()]
    return found


def variants(
    sentences: Sequence[Sentence],
    names: dict[str, list[Sequence[str]]],
    neighbours: dict[str, list[str]],
    numbers: random.Random,
) -> Iterator[Sentence]:
    """Every sentence several times, with other names and words each time; none comes out twice."""
    seen = {tuple(sentence.tokens) for sentence in sentences}
    for sentence in sentences:
        for number in range(RELATED if sentence.relations else UNRELATED):
            tokens = changed(sentence, names, neighbours, numbers)
            if tuple(tokens) not in seen:
                seen.add(tuple(tokens))
                yield Sentence(tokens=tokens, id=f"{sentence.id}-{number + 1}")


def changed(
    sentence: Sentence,
    names: dict[str, list[Sequence[str]]],
    neighbours: dict[str, list[str]],
    numbers: random.Random,
) -> list[str]:
    """The tokens of one variant."""
    starts = {entity.start: entity for entity in sentence.entities}
    tokens: list[str] = []
    at = 0
    while at < len(sentence):
        entity = starts.get(at)
        if entity is not None:
            stays = entity.type not in names or numbers.random() >= NAME
            tokens += sentence.tokens[at : entity.end] if stays else numbers.choice(names[entity.type])
            at = entity.end
            continue
        token = sentence.tokens[at]
        others = neighbours.get(token.lower())
        if others and numbers.random() < WORD:
            other = numbers.choice(others)
            token = other.capitalize() if token[0].isupper() else other
        tokens.append(token)
        at += 1
    return tokens


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("gold", type=Path, help="the gold sentences")
    parser.add_argument("names", type=Path, help="sentences whose entities are the names to draw from")
    parser.add_argument("vectors", type=Path, help="the words of word vectors, most frequent first")
    parser.add_argument("out", type=Path, help="the file to write")
    arguments = parser.parse_args()
    prepare(arguments.gold, arguments.names, arguments.vectors, arguments.out)
