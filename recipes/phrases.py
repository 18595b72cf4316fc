"""Sentences of our own with invented names: what the words around a name say of it, and little else.

    python recipes/phrases.py news names.jsonl phrases.jsonl [--times 60]

``recipes/phrases.txt`` has the sentences and their gaps, `recipes/names.py` fills them, and gold sentences,
``names.jsonl``, lend real names. Both embedded models learn from them: ``news`` in the types of CoNLL04,
``general`` in those of recipes/general_relations.toml.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from names import Names

from biaffinity import formats
from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.text import read_document

PHRASES = Path(__file__).with_name("phrases.txt")
GAP = re.compile(r"\{([A-Z])(\d)\}")
ARTICLE = "the "

#: The entity type of a gap in each model; none where it has no type.
TYPES = {
    "news": {
        "P": "Peop",
        **dict.fromkeys("OUBT", "Org"),
        **dict.fromkeys("LCR", "Loc"),
        "W": "Other",
        "D": "Other",
    },
    "general": {
        "P": "Person",
        **dict.fromkeys("OUBT", "Organization"),
        **dict.fromkeys("LCR", "Location"),
        "W": "Other",
        **dict.fromkeys("DYK", "Date"),
    },
}
#: What is stated, as relations of each model; "reversed" where they run from the second to the first. A model
#: without a line does not learn from the sentence: its data would not say.
STATED: dict[str, dict[str, Sequence[str]]] = {
    "leads": {"news": ["Work_For"], "general": ["employer", "chief executive officer reversed"]},
    "works": {"news": ["Work_For"], "general": ["employer"]},
    "worked": {"news": [], "general": ["employer"]},
    "plays": {"news": ["Work_For"], "general": ["member of sports team"]},
    "played": {"news": [], "general": ["member of sports team"]},
    "member": {"news": ["Work_For"], "general": ["member of"]},
    "joined": {"news": [], "general": ["member of"]},
    "founded": {"news": ["Work_For"], "general": ["founded by reversed"]},
    "began": {"news": [], "general": ["inception"]},
    "based": {"news": ["OrgBased_In"], "general": ["headquarters location"]},
    "office": {"news": ["OrgBased_In"], "general": []},
    "part": {"news": [], "general": ["parent organization"]},
    "owned": {"news": [], "general": ["owned by"]},
    "lives": {"news": ["Live_In"], "general": ["residence"]},
    "born": {"news": ["Live_In"], "general": ["place of birth"]},
    "birthday": {"news": [], "general": ["date of birth"]},
    "died": {"general": ["place of death"]},
    "deathday": {"news": [], "general": ["date of death"]},
    "rules": {"news": ["Live_In"], "general": ["country of citizenship"]},
    "governs": {"news": ["Live_In"], "general": []},
    "married": {"news": [], "general": ["spouse", "spouse reversed"]},
    "parent": {"news": [], "general": ["child"]},
    "siblings": {"news": [], "general": ["sibling", "sibling reversed"]},
    "studied": {"news": [], "general": ["educated at"]},
    "author": {"news": [], "general": ["author"]},
    "directed": {"news": [], "general": ["director"]},
    "sung": {"news": [], "general": ["performer"]},
    "out": {"news": [], "general": ["publication date"]},
    "in": {"news": ["Located_In"], "general": ["located in"]},
    "killed": {"news": ["Kill"], "general": []},
    "slain": {"news": [], "general": ["place of death"]},
    "fell": {"news": [], "general": ["date of death"]},
}
#: Words around a sentence, in the form of phrases; their names have no part in what the sentence states.
BEFORE = """
On {K9}, |
According to {B9}, |
In {Y9}, |
{B9} reports that |
In a letter to {P9}, |
{P9} of {B9} said | works P9 B9
{P9}, a spokesman for {B9}, said | works P9 B9
{P9}, who works for {O9}, wrote that | works P9 O9
{P9}, mayor of {L9}, said | governs P9 L9
"""
AFTER = """
, {B9} reported |
, according to {O9} |
, officials in {L9} said |
, {P9} wrote on {K9} |
, said {P9} of {B9} | works P9 B9
, according to {P9}, a lawyer at {O9} | works P9 O9
"""
#: How often such words stand before and after.
AROUND = 0.15
#: What may stand before a person, and is not part of the name.
TITLES = ("Detective", "Mayor", "Professor", "Captain", "Judge", "Senator", "Coach", "Chief executive")
#: How often it does.
TITLED = 0.06


@dataclass(frozen=True, slots=True)
class Phrase:
    """A sentence with gaps, and what it states: the word of `STATED` and its two gaps."""

    text: str
    stated: Sequence[tuple[str, str, str]]

    def fits(self, model: str) -> bool:
        """Whether a model's types can say all that is stated."""
        return all(model in STATED[word] for word, _, _ in self.stated)


def read_phrases(text: str) -> list[Phrase]:
    """The phrases of a text such as that of phrases.txt."""
    found: list[Phrase] = []
    for line in text.splitlines():
        if "|" not in line or line.startswith("#"):
            continue
        words, _, stated = line.partition("|")
        facts = [tuple(fact.split()) for fact in stated.split(";") if fact.strip()]
        gaps = {kind + number for kind, number in GAP.findall(words)}
        for fact in facts:
            if len(fact) != 3 or fact[0] not in STATED or not gaps.issuperset(fact[1:]):
                raise SystemExit(
                    f"not a word of what is stated with two gaps of the sentence: {fact}: {line}"
                )
        found.append(Phrase(words.strip(), [(word, head, tail) for word, head, tail in facts]))
    return found


_BEFORE, _AFTER = read_phrases(BEFORE), read_phrases(AFTER)


def surrounded(phrase: Phrase, numbers: random.Random) -> Phrase:
    """The phrase, now and then with words around it."""
    text, stated = phrase.text, list(phrase.stated)
    if text.endswith(".") and numbers.random() < AROUND:
        after = numbers.choice(_AFTER)
        text, stated = text[:-1] + after.text + ".", [*stated, *after.stated]
    elif numbers.random() < AROUND and not text.startswith('"'):
        before = numbers.choice(_BEFORE)
        text, stated = f"{before.text} {text}", [*stated, *before.stated]
    return Phrase(text, stated)


def fill(phrase: Phrase, model: str, names: Names, numbers: random.Random, id_: str) -> Sentence | None:
    """The phrase with names in its gaps; None if it came out as two sentences."""
    phrase = surrounded(phrase, numbers)
    text, spans, drawn = "", dict[str, tuple[int, int]](), set[str]()
    end = 0
    for gap in GAP.finditer(phrase.text):
        text += phrase.text[end : gap.start()]
        end = gap.end()
        name = names.draw(gap[1])
        while name in drawn:
            name = names.draw(gap[1])
        drawn.add(name)
        if gap[1] == "P" and " " in name and numbers.random() < TITLED:
            text += numbers.choice(TITLES) + " "
        if name.startswith(ARTICLE):
            if phrase.text[end : end + 1] != "-" and not text.endswith(("'s ", "the ", "The ")):
                text += ARTICLE
            name = name.removeprefix(ARTICLE)
        spans[gap[1] + gap[2]] = (len(text), len(text) + len(name))
        text += name
    text += phrase.text[end:]
    text = text[0].upper() + text[1:]
    return annotated(text, spans, phrase, model, id_)


def annotated(
    text: str, spans: dict[str, tuple[int, int]], phrase: Phrase, model: str, id_: str
) -> Sentence | None:
    """A text as one sentence with the entities and relations of a model."""
    sentences = read_document(text).sentences
    if len(sentences) != 1:
        return None
    [sentence] = sentences
    entities: dict[str, Entity] = {}
    for gap, (start, end) in sorted(spans.items(), key=lambda item: item[1]):
        inside = [
            index
            for index, (first, last) in enumerate(sentence.token_spans or ())
            if first < end and start < last
        ]
        type_ = TYPES[model].get(gap[0])
        if type_ is not None:
            entities[gap] = Entity(inside[0], inside[-1] + 1, type_)
    place = {gap: index for index, gap in enumerate(entities)}
    relations: dict[tuple[int, int], Relation] = {}
    for word, first, second in phrase.stated:
        for relation in STATED[word][model]:
            name = relation.removesuffix(" reversed")
            head, tail = (second, first) if name != relation else (first, second)
            relations.setdefault((place[head], place[tail]), Relation(name, place[head], place[tail]))
    return Sentence(sentence.tokens, list(entities.values()), list(relations.values()), id=id_)


def known_names(path: Path) -> dict[str, Sequence[str]]:
    """The distinct names of people, organisations and places of gold sentences, in a fixed order."""
    kinds = {"Peop": "person", "Person": "person", "Org": "organisation", "Organization": "organisation"}
    kinds |= {"Loc": "place", "Location": "place"}
    found: dict[str, set[str]] = {kind: set() for kind in kinds.values()}
    for sentence in formats.read(path):
        for entity in sentence.entities:
            tokens = sentence.tokens[entity.start : entity.end]
            if entity.type in kinds and tokens[0][0].isupper() and all(token.isalpha() for token in tokens):
                found[kinds[entity.type]].add(" ".join(tokens))
    found["person"] = {name for name in found["person"] if " " in name}
    return {kind: sorted(names) for kind, names in found.items()}


def written(model: str, known: dict[str, Sequence[str]], times: int) -> Iterator[Sentence]:
    """Every phrase that fits the model, filled several times."""
    numbers = random.Random(1)
    names = Names(numbers, known)
    for number, phrase in enumerate(read_phrases(PHRASES.read_text(encoding="utf-8"))):
        for time in range(times if phrase.fits(model) else 0):
            sentence = fill(phrase, model, names, numbers, f"phrase-{number + 1}-{time + 1}")
            if sentence is not None:
                yield sentence


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", choices=list(TYPES), help="whose types to write")
    parser.add_argument("names", type=Path, help="gold sentences, for their names")
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument("--times", type=int, default=60, help="how often each phrase is filled (60)")
    arguments = parser.parse_args()
    sentences = written(arguments.model, known_names(arguments.names), arguments.times)
    formats.write(arguments.out, sentences, "jsonl")
