"""Sentences that stand in a corpus more than once, whatever their case, punctuation and tokens.

Only hashes are kept, with the id of each text's first sentence: memory grows with the number of
distinct sentences, not with their length. Python's hash has 61 bits, so in a million sentences a
false repeat has a chance of about one in five million.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, NamedTuple

from biaffinity.annotation import Sentence


class _Letters(dict[int, int | None]):
    """A table for `str.translate` that keeps letters, marks and digits and drops the rest."""

    def __missing__(self, code: int) -> int | None:
        self[code] = code if unicodedata.category(chr(code))[0] in "LMN" else None
        return self[code]


_LETTERS = _Letters()


def text_fingerprint(sentence: Sentence) -> int:
    """A hash of the sentence's letters and digits in lower case: neither punctuation nor tokens count.

    A sentence without a letter is taken as it stands.
    """
    whole = "".join(sentence.tokens)
    return hash(_letters(whole) or whole)


def annotation_fingerprint(sentence: Sentence) -> int:
    """A hash of its annotation; an entity is its place among those letters and its own text, whole."""
    words = [_letters(token) for token in sentence.tokens]
    if not any(words):
        words = list(sentence.tokens)
    borders = list(accumulate(map(len, words), initial=0))
    spans = [
        (borders[e.start], "".join(sentence.tokens[e.start : e.end]).casefold(), e.type)
        for e in sentence.entities
    ]
    links = frozenset((r.type, spans[r.head], spans[r.tail]) for r in sentence.relations)
    return hash((frozenset(spans), links))


def _letters(text: str) -> str:
    folded = text.casefold()
    return folded if folded.isalnum() else folded.translate(_LETTERS)


@dataclass(slots=True)
class _Text:
    """The first sentence with a text, and the first of every later split that has it too."""

    split: str
    id: str
    annotation: int
    later: tuple[tuple[str, str], ...] = ()
    repeated: bool = False
    differs: bool = False


class Repeat(NamedTuple):
    """The id of a sentence, and the split and id of an earlier one with its text, the first there."""

    id: str
    first_split: str
    first_id: str

    def __str__(self) -> str:
        return f"{self.id} (= {self.first_split} {self.first_id})"


@dataclass(slots=True)
class SplitRepeats:
    """The sentences of one split whose text was met before.

    ``within`` are those met earlier in the same split, ``across`` those met in a split before it;
    ``origins`` counts the latter by the splits they were met in. ``differing`` are the first of
    their text not to be annotated like its first.
    """

    within: list[Repeat] = field(default_factory=list)
    across: list[Repeat] = field(default_factory=list)
    differing: list[Repeat] = field(default_factory=list)
    origins: Counter[str] = field(default_factory=Counter)


class Repeats:
    """Collects every sentence of a corpus, split after split, and tells which were met before.

    >>> repeats = Repeats()
    >>> repeats.add(Sentence(["Anna", "left", "."]), "train", "1")
    >>> repeats.add(Sentence(["ANNA", "LEFT"]), "test", "7")
    >>> repeats.splits["test"].across, repeats.groups
    ([Repeat(id='7', first_split='train', first_id='1')], 1)
    """

    def __init__(self) -> None:
        self._texts: dict[int, _Text] = {}
        self.splits: dict[str, SplitRepeats] = {}
        self.groups = 0

    def add(self, sentence: Sentence, split: str, id: str) -> None:
        """Take in one sentence of a split under the id to name it by; one without tokens says nothing."""
        if not sentence.tokens:
            return
        text, annotation = text_fingerprint(sentence), annotation_fingerprint(sentence)
        known = self._texts.get(text)
        if known is None:
            self._texts[text] = _Text(split, id, annotation)
            return
        here = self.splits.setdefault(split, SplitRepeats())
        repeats = [Repeat(id, *first) for first in ((known.split, known.id), *known.later)]
        before = [repeat for repeat in repeats if repeat.first_split != split]
        if before:
            here.across.append(before[0])
            here.origins.update(repeat.first_split for repeat in before)
        if len(before) < len(repeats):
            here.within.append(repeats[-1])
        else:
            known.later += ((split, id),)
        self.groups += not known.repeated
        known.repeated = True
        if annotation != known.annotation and not known.differs:
            known.differs = True
            here.differing.append(repeats[0])

    def to_dict(self) -> dict[str, Any]:
        """A JSON object: how many texts stand there more than once, which differ, and where."""
        return {
            "texts": self.groups,
            "texts_annotated_differently": sum(len(r.differing) for r in self.splits.values()),
            "splits": {
                name: {
                    "within": [repeat._asdict() for repeat in r.within],
                    "across": [repeat._asdict() for repeat in r.across],
                    "origins": dict(r.origins),
                    "differing": [repeat._asdict() for repeat in r.differing],
                }
                for name, r in self.splits.items()
            },
        }
