"""Tokens to arrays: the number of every word, and the characters of every distinct word form once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TypeVar, cast

import numpy as np
import numpy.typing as npt

from biaffinity.decoding.arrays import Ints, padded
from biaffinity.encoders.recurrent.normalisation import character_form, word_form
from biaffinity.encoders.recurrent.settings import RecurrentSettings
from biaffinity.encoders.recurrent.vocabulary import LONGEST_END, Vocabulary, ends
from biaffinity.errors import BiaffinityError
from biaffinity.files import read_json

[VOCABULARY] = RecurrentSettings.files
N = TypeVar("N", bound=np.generic)


def read_vocabulary(folder: Path) -> Vocabulary:
    """The vocabulary in a model folder; one that is damaged is an error."""
    names = read_json(folder / VOCABULARY)
    try:
        return Vocabulary.from_dict(names)
    except BiaffinityError as error:
        raise error.at(str(folder / VOCABULARY)) from None


class RecurrentFeaturiser:
    """Numbers tokens, remembering those that it has met."""

    def __init__(self, settings: RecurrentSettings, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.normalisation = settings.normalisation
        self._tokens: dict[str, int] = {}
        self._forms: dict[str, int] = {}
        # Tables with room to grow: the characters of every form met and how many they are, [forms met,
        # longest] and [forms met]; the word number and the form's number of every token met, [tokens met, 2].
        self._spellings = np.zeros((1024, 2 * LONGEST_END + 2), dtype=np.int32)
        self._lengths = np.zeros(1024, dtype=np.int64)
        self._numbers = np.zeros((1024, 2), dtype=np.int64)
        self._met = 0

    @property
    def remembered(self) -> int:
        """How many distinct tokens are kept; each takes some hundred bytes."""
        return self._met

    def featurise(self, tokens: Sequence[str]) -> list[int]:
        """A sentence of at least one token, as the places of its tokens among those met."""
        known = self._tokens.get
        places = [known(token) for token in tokens]
        return [self._meet(token) for token in tokens] if None in places else cast(list[int], places)

    def collate(self, sentences: Sequence[list[int]]) -> dict[str, Ints]:
        """Padded arrays of some sentences.

        ``words``, ``form_index``: [batch, size], the latter telling which distinct form each token is;
        ``characters``: [distinct forms, longest], shortest first; ``character_lengths``: [distinct forms].
        """
        lengths = np.array([len(places) for places in sentences], dtype=np.int64)
        flat = np.fromiter(chain.from_iterable(sentences), dtype=np.int64, count=int(lengths.sum()))
        words, forms = self._numbers[flat].T
        distinct, index = np.unique(forms, return_inverse=True)
        characters, character_lengths, place = self._spell(distinct)
        return {
            "words": padded(words, lengths),
            "characters": characters,
            "character_lengths": character_lengths,
            "form_index": padded(place[index], lengths),
        }

    def _meet(self, token: str) -> int:
        """The place of a token among those met, new or not."""
        place = self._tokens.get(token)
        if place is not None:
            return place
        form = ends(character_form(token, self.normalisation))
        number = self._forms.get(form)
        if number is None:
            number = self._forms[form] = len(self._forms)
            self._spellings, self._lengths = _grown(self._spellings, number), _grown(self._lengths, number)
            spelling = self.vocabulary.spell(form)
            self._spellings[number, : len(spelling)] = spelling
            self._lengths[number] = len(spelling)
        place, self._met = self._met, self._met + 1
        self._numbers = _grown(self._numbers, place)
        self._numbers[place] = self.vocabulary.word(word_form(token, self.normalisation)), number
        if len(token) <= 2 * LONGEST_END:  # what is longer hardly comes again, and may be megabytes
            self._tokens[token] = place
        return place

    def _spell(self, forms: Ints) -> tuple[Ints, Ints, Ints]:
        """Padded characters of word forms, shortest form first, their lengths, and where each form went."""
        lengths = self._lengths[forms]
        order = np.argsort(lengths, kind="stable")
        place = np.empty(len(forms), dtype=np.int64)
        place[order] = np.arange(len(forms))
        lengths = lengths[order]
        return self._spellings[forms[order], : lengths[-1]].astype(np.int64), lengths, place


def _grown(table: npt.NDArray[N], row: int) -> npt.NDArray[N]:
    """The table, twice as long if it has not got this row; who reads the old one goes on with it."""
    return table if row < len(table) else np.concatenate([table, np.zeros_like(table)])
