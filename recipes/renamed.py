"""Labelled sentences with other names: what they state stays, who and where is made up.

    python recipes/renamed.py labelled.jsonl names.jsonl renamed.jsonl [--sentences 40000]

Of the sentences with a relation, so many are drawn, and half of their people, organisations and places give
way to names that nobody has heard of (`recipes/names.py`).
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from names import Names
from phrases import ARTICLE, known_names

from biaffinity import formats
from biaffinity.annotation import Entity, Sentence
from biaffinity.text import read_document

#: What a name of a type gives way to; organisations that are named after what they are (a university, a
#: ministry) say so themselves, and stay.
KINDS = {"Peop": "P", "Person": "P", "Org": "O", "Organization": "O", "Loc": "L", "Location": "L"}
#: How often a name gives way.
SHARE = 0.5
#: An organisation of more words than this is taken to be named after what it is.
LONGEST_FIRM = 2


def renamed(sentence: Sentence, names: Names, numbers: random.Random) -> Sentence:
    """The sentence with other names."""
    tokens: list[str] = []
    entities = list(sentence.entities)
    end = 0
    for index in sorted(range(len(entities)), key=lambda index: entities[index].start):
        entity = sentence.entities[index]
        tokens += sentence.tokens[end : entity.start]
        name = list(sentence.tokens[entity.start : entity.end])
        kind = KINDS.get(entity.type)
        if kind and numbers.random() < SHARE and (kind != "O" or len(name) <= LONGEST_FIRM):
            [read] = read_document(names.draw(kind).removeprefix(ARTICLE)).sentences[:1]
            name = list(read.tokens)
        entities[index] = Entity(len(tokens), len(tokens) + len(name), entity.type)
        tokens += name
        end = entity.end
    tokens += sentence.tokens[end:]
    return Sentence(tokens, entities, sentence.relations, id=sentence.id)


def prepare(labelled: Path, known: Path, out: Path, count: int) -> None:
    """Write the renamed sentences."""
    numbers = random.Random(1)
    names = Names(numbers, known_names(known))
    related = [s for s in formats.read(labelled) if s.relations and len(s) <= 100]
    drawn = numbers.sample(related, min(count, len(related)))
    formats.write(out, (renamed(sentence, names, numbers) for sentence in drawn), "jsonl")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("labelled", type=Path, help="labelled.jsonl of a distillation")
    parser.add_argument("names", type=Path, help="gold sentences, for their names")
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument("--sentences", type=int, default=40000, help="how many (40,000)")
    arguments = parser.parse_args()
    prepare(arguments.labelled, arguments.names, arguments.out, arguments.sentences)
