"""Tags, one per token, <-> spans: IOB1, IOB2 and BILOU (also with E and S for L and U).

Spans are the truth here. Where tags break the rules of their scheme, the entity they meant is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from biaffinity.annotation import Entity

TAG = re.compile(r"O|[BILUES]-\S.*")
STARTING, CONTINUING, CLOSING = "BUS", "ILE", "LUES"


class Scheme(Enum):
    """How a column of tags marks where an entity starts and ends."""

    IOB1 = "IOB1"  # B only where an entity follows another of its type at once
    IOB2 = "IOB2"  # B at every start
    BILOU = "BILOU"  # B at every start, L at every end, U for both at once


@dataclass(frozen=True, slots=True)
class TaggedSpan:
    """A span as its tags mark it; ``first`` and ``last`` are the letters at its ends."""

    start: int
    end: int
    type: str
    first: str
    last: str
    follows_same_type: bool

    def fits(self, scheme: Scheme) -> bool:
        """Whether the scheme would have written these letters."""
        if scheme is Scheme.IOB1:
            return (self.first == "B") == self.follows_same_type
        if scheme is Scheme.IOB2:
            return self.first == "B"
        return self.first in STARTING and self.last in CLOSING


def is_tag(text: str) -> bool:
    """Whether the text is a tag of any of the schemes.

    >>> [is_tag(text) for text in ("O", "B-Loc", "U-Adverse-Effect", "Loc", "B-", "[0]")]
    [True, True, True, False, False, False]
    """
    return TAG.fullmatch(text) is not None


def spans(tags: Sequence[str]) -> Iterator[TaggedSpan]:
    """The spans that tags mark, in text order, whatever the scheme.

    A span goes on only with a letter that continues one (I, L, E), its own type, and no letter before
    that closed it; anything else starts a new one.

    >>> [(s.start, s.end, s.type) for s in spans(["I-Loc", "B-Loc", "L-Loc", "I-Loc", "O", "I-Org"])]
    [(0, 1, 'Loc'), (1, 3, 'Loc'), (3, 4, 'Loc'), (5, 6, 'Org')]
    """
    start = 0
    before: str | None = None  # the type of the span that ended at ``start``
    while start < len(tags):
        letter, _, type_ = tags[start].partition("-")
        end = start + 1
        if letter == "O":
            before = None
        else:
            last = letter
            while end < len(tags) and last not in CLOSING and _goes_on(tags[end], type_):
                last = tags[end][0]
                end += 1
            yield TaggedSpan(start, end, type_, letter, last, follows_same_type=before == type_)
            before = type_
        start = end


def scheme_of(found: Iterable[TaggedSpan]) -> Scheme:
    """The scheme of a file's spans, judged by the letters that only one scheme writes.

    A letter that closes a span speaks for BILOU. Otherwise a B that a span's start did not need speaks
    for IOB2, even if other spans start with I: those are slips.
    """
    needless_b = inside_first = False
    for span in found:
        if span.last in CLOSING:
            return Scheme.BILOU
        if span.first == "B":
            needless_b = needless_b or not span.follows_same_type
        else:
            inside_first = True
    return Scheme.IOB1 if inside_first and not needless_b else Scheme.IOB2


def iob2(length: int, entities: Iterable[Entity]) -> list[str]:
    """The IOB2 tags of entities that do not overlap.

    >>> iob2(4, [Entity(0, 2, "Peop"), Entity(2, 3, "Peop")])
    ['B-Peop', 'I-Peop', 'B-Peop', 'O']
    """
    tags = ["O"] * length
    for entity in entities:
        tags[entity.start : entity.end] = [f"I-{entity.type}"] * (entity.end - entity.start)
        tags[entity.start] = f"B-{entity.type}"
    return tags


def _goes_on(tag: str, type_: str) -> bool:
    letter, _, following = tag.partition("-")
    return letter in CONTINUING and following == type_
