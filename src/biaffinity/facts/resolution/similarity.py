"""Names that differ by a slip of the pen: one word of them, by a letter or two.

Only names of one block are compared, so that the work grows with the names and not with their square. Two
names share a block if they have the same type and the same words but for one, in the same place, whose first
or last letters are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from itertools import combinations
from typing import Any, NamedTuple
from zlib import crc32

from biaffinity.errors import MissingExtraError

#: How alike two names must be: 1 minus the edits over the letters of the longer one. Chosen on Re-DocRED.
THRESHOLD = 0.9
#: Shorter words are too easily another word.
SHORTEST = 5
#: Names beyond this in one block are not compared: nobody's slips are so many.
LARGEST_BLOCK = 200
_LETTERS = 3


class Likeness(NamedTuple):
    """How alike two names are, and the words by which they differ."""

    similarity: float
    word: str
    other: str


def blocks(normal: str, type: str) -> Iterator[int]:
    """The blocks that a name is in, as numbers; that two blocks may have one number costs a comparison."""
    words = normal.split()
    if (len(normal) + 1) * (1 - THRESHOLD) < 1 - 1e-9:  # not even one letter may differ
        return
    for place, word in enumerate(words):
        if len(word) < SHORTEST or not word.isalpha():
            continue
        rest = " ".join((type, *words[:place], "_", *words[place + 1 :]))
        yield crc32(f"{rest} {word[:_LETTERS]}_".encode(errors="surrogatepass"))
        yield crc32(f"{rest} _{word[-_LETTERS:]}".encode(errors="surrogatepass"))


def likeness(one: str, other: str) -> Likeness | None:
    """How alike two normal forms are, if they differ as by a slip of the pen.

    A word that only goes on where the other ends is an inflection, not a slip.

    >>> likeness("salima mourad", "salima murad")
    Likeness(similarity=0.923..., word='mourad', other='murad')
    >>> likeness("world war i", "world war ii"), likeness("south ossetia", "south ossetian")
    (None, None)
    """
    similarity = levenshtein().normalized_similarity(one, other, score_cutoff=THRESHOLD)
    if not similarity:
        return None
    words, others = one.split(), other.split()
    if len(words) != len(others):
        return None
    different = [pair for pair in zip(words, others, strict=True) if pair[0] != pair[1]]
    if len(different) != 1:
        return None
    ((word, opposite),) = different
    if (
        min(len(word), len(opposite)) < SHORTEST - 1
        or max(len(word), len(opposite)) < SHORTEST
        or not (word + opposite).isalpha()
        or word[0] != opposite[0]
        or word.startswith(opposite)
        or opposite.startswith(word)
    ):
        return None
    return Likeness(similarity, word, opposite)


def pairs(block_of: Iterable[tuple[int, int]], new: set[int]) -> set[tuple[int, int]]:
    """Pairs of names that share a block, one of them new, from rows (block, name)."""
    members: dict[int, list[int]] = {}
    for block, name in block_of:
        members.setdefault(block, []).append(name)
    return {
        (one, other)
        for names in members.values()
        if 1 < len(names) <= LARGEST_BLOCK
        for one, other in combinations(sorted(names), 2)
        if one in new or other in new
    }


@cache
def levenshtein() -> Any:
    """RapidFuzz's edit distance, of the extra ``facts``."""
    try:
        return import_module("rapidfuzz.distance").Levenshtein
    except ModuleNotFoundError as error:
        raise MissingExtraError("the resolution of entities", "facts") from error
