"""Tokens to arrays: the number of every word, and the characters of every distinct word form once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from biaffinity.decoding.arrays import Ints, padded
from biaffinity.encoders.normalisation import character_form, word_form
from biaffinity.encoders.recurrent.settings import RecurrentSettings
from biaffinity.encoders.recurrent.vocabulary import Vocabulary
from biaffinity.encoders.spelling import Spellings, grown
from biaffinity.encoders.tokens_met import TokensMet
from biaffinity.errors import BiaffinityError
from biaffinity.files import read_json

[VOCABULARY] = RecurrentSettings.files


def read_vocabulary(folder: Path) -> Vocabulary:
    """The vocabulary in a model folder; one that is damaged is an error."""
    names = read_json(folder / VOCABULARY)
    try:
        return Vocabulary.from_dict(names)
    except BiaffinityError as error:
        raise error.at(str(folder / VOCABULARY)) from None


class RecurrentFeaturiser(TokensMet):
    """Numbers tokens, remembering those that it has met."""

    def __init__(self, settings: RecurrentSettings, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self.normalisation = settings.normalisation
        self._spellings = Spellings(vocabulary.alphabet)
        # The word number and the form's number of every token met, with room to grow: [tokens met, 2].
        self._numbers = np.zeros((1024, 2), dtype=np.int64)

    def collate(self, sentences: Sequence[list[int]]) -> dict[str, Ints]:
        """Padded arrays of some sentences.

        ``words``, ``form_index``: [batch, size], the latter telling which distinct form each token is;
        ``characters``: [distinct forms, longest], shortest first; ``character_lengths``: [distinct forms].
        """
        lengths = np.array([len(places) for places in sentences], dtype=np.int64)
        flat = np.fromiter(chain.from_iterable(sentences), dtype=np.int64, count=int(lengths.sum()))
        words, forms = self._numbers[flat].T
        characters, character_lengths, index = self._spellings.collate(forms)
        return {
            "words": padded(words, lengths),
            "characters": characters,
            "character_lengths": character_lengths,
            "form_index": padded(index, lengths),
        }

    def _learn(self, place: int, token: str) -> None:
        form = self._spellings.meet(character_form(token, self.normalisation))
        self._numbers = grown(self._numbers, place)
        self._numbers[place] = self.vocabulary.word(word_form(token, self.normalisation)), form
