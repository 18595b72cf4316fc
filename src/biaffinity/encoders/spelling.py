"""Words as characters: the number of each, and the characters of distinct word forms, each kept once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt

from biaffinity.decoding.arrays import Ints

#: Numbers of what is no character: padding, the unknown one, and the frames around a word.
PADDING, UNKNOWN, WORD_START, WORD_END = range(4)
#: A batch of words is as wide as its longest, so a word of thousands of characters is cut in the middle.
LONGEST_END = 32
N = TypeVar("N", bound=np.generic)
#: How a word is spelt: by its characters, or by their shapes.
Spelling = Literal["letters", "shapes"]


class Alphabet:
    """The characters that a model knows: number 4 + i is ``characters[i]``."""

    def __init__(self, characters: Sequence[str]) -> None:
        self.characters = characters
        self._numbers = {character: 4 + index for index, character in enumerate(characters)}

    @property
    def symbols(self) -> int:
        """How many numbers there are: padding, unknown, the frames, and the characters."""
        return 4 + len(self.characters)

    def spell(self, form: str) -> list[int]:
        """The numbers of a word's characters between the frames; of a very long word, those at its ends."""
        numbers = (self._numbers.get(character, UNKNOWN) for character in ends(form))
        return [WORD_START, *numbers, WORD_END]


class Spellings:
    """Word forms met so far, and how they are spelt."""

    def __init__(self, alphabet: Alphabet) -> None:
        self._alphabet = alphabet
        self._forms: dict[str, int] = {}
        # Tables with room to grow: the characters of every form and how many they are, [forms met, longest]
        # and [forms met].
        self._characters = np.zeros((1024, 2 * LONGEST_END + 2), dtype=np.int32)
        self._lengths = np.zeros(1024, dtype=np.int64)

    def meet(self, form: str) -> int:
        """The number of a form, new or not."""
        form = ends(form)
        number = self._forms.get(form)
        if number is None:
            number = self._forms[form] = len(self._forms)
            self._characters, self._lengths = grown(self._characters, number), grown(self._lengths, number)
            spelling = self._alphabet.spell(form)
            self._characters[number, : len(spelling)] = spelling
            self._lengths[number] = len(spelling)
        return number

    def collate(self, forms: Ints) -> tuple[Ints, Ints, Ints]:
        """The distinct ones among forms [tokens], each once, the shortest first.

        Returns:
            Padded characters [distinct forms, longest], their lengths [distinct forms], and which of them
            each token is [tokens].
        """
        distinct, index = np.unique(forms, return_inverse=True)
        lengths = self._lengths[distinct]
        order = np.argsort(lengths, kind="stable")
        place = np.empty(len(distinct), dtype=np.int64)
        place[order] = np.arange(len(distinct))
        lengths = lengths[order]
        characters = self._characters[distinct[order], : lengths[-1]].astype(np.int64)
        return characters, lengths, place[index]


def spelt(form: str, spelling: Spelling) -> str:
    """A word as it is read by character; a shape is A for a capital, a for a small letter, 0 for a digit.

    >>> spelt("McDonald's", "shapes"), spelt("B-52", "shapes"), spelt("B-52", "letters")
    ("AaAaaaaa'a", 'A-00', 'B-52')
    """
    if spelling == "letters":
        return form
    return "".join("A" if c.isupper() else "a" if c.islower() else "0" if c.isdigit() else c for c in form)


def ends(form: str) -> str:
    """The characters of a word that are read: all of them, or those at the ends of a very long one."""
    return form if len(form) <= 2 * LONGEST_END else form[:LONGEST_END] + form[-LONGEST_END:]


def grown(table: npt.NDArray[N], row: int) -> npt.NDArray[N]:
    """The table, twice as long if it has not got this row; who reads the old one goes on with it."""
    return table if row < len(table) else np.concatenate([table, np.zeros_like(table)])
