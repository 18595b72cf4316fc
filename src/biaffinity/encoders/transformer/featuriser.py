"""Tokens to arrays: pieces of sentences, where each token's are, and the characters of distinct words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from biaffinity.decoding.arrays import Ints, padded
from biaffinity.encoders.normalisation import character_form
from biaffinity.encoders.spelling import Alphabet, Spelling, Spellings, grown, spelt
from biaffinity.encoders.tokens_met import TokensMet
from biaffinity.encoders.transformer.pieces import WordPieces, windows

#: Of a word: without letters, small, a capital first, capitals alone, otherwise mixed.
CASES = ("none", "small", "capital", "capitals", "mixed")


def case_of(form: str) -> int:
    """Which of the cases a word has.

    >>> [CASES[case_of(word)] for word in ("1987", "iron", "Oslo", "NATO", "McKay", "A")]
    ['none', 'small', 'capital', 'capitals', 'mixed', 'capital']
    """
    letters = [c for c in form if c.isupper() or c.islower()]
    if not letters:
        return 0
    if not any(c.isupper() for c in letters):
        return 1
    if letters[0].isupper() and not any(c.isupper() for c in letters[1:]):
        return 2
    return 3 if all(c.isupper() for c in letters) else 4


class TransformerFeaturiser(TokensMet):
    """Cuts tokens into pieces, remembering those that it has met."""

    def __init__(
        self,
        pieces: WordPieces,
        padding: int,
        alphabet: Alphabet,
        spelling: Spelling = "letters",
        vocabulary: int = 0,
    ) -> None:
        super().__init__()
        self._pieces = pieces
        self._padding = padding
        self._spelling = spelling
        self._vocabulary = vocabulary  # so many numbers on are those of the next case
        self._spellings = Spellings(alphabet)
        # Of every token met where its pieces are, how many, and the number of its form, [tokens met, 3];
        # and the pieces themselves. Both have room to grow.
        self._numbers = np.zeros((1024, 3), dtype=np.int64)
        self._ids = np.zeros(4096, dtype=np.int64)
        self._used = 0

    def collate(self, sentences: Sequence[list[int]]) -> dict[str, Ints]:
        """Padded arrays of some sentences.

        ``pieces``: [windows, longest], a sentence being one window unless it is too long for the
        transformer; ``piece_lengths``: [windows]; ``first``, ``last``: [batch, size], where the first and
        the last piece of each token stand in all windows laid end to end; ``form_index``: [batch, size],
        ``characters``: [distinct forms, longest] and ``character_lengths``: [distinct forms], as the
        recurrent encoder has them.
        """
        lengths = np.array([len(places) for places in sentences], dtype=np.int64)
        flat = np.fromiter(chain.from_iterable(sentences), dtype=np.int64, count=int(lengths.sum()))
        where, counts, forms = self._numbers[flat].T
        ends = counts.cumsum()
        starts = ends - counts
        ids = self._ids[np.repeat(where - starts, counts) + np.arange(ends[-1])]
        first, pieces, piece_lengths = self._windows(ids, starts, counts, lengths)
        characters, character_lengths, index = self._spellings.collate(forms)
        return {
            "pieces": pieces,
            "piece_lengths": piece_lengths,
            "first": padded(first, lengths),
            "last": padded(first + counts - 1, lengths),
            "characters": characters,
            "character_lengths": character_lengths,
            "form_index": padded(index, lengths),
        }

    def _windows(self, ids: Ints, starts: Ints, counts: Ints, lengths: Ints) -> tuple[Ints, Ints, Ints]:
        """Where each token's first piece is, the padded pieces of all windows, and their lengths."""
        before, after, room = self._pieces.start, self._pieces.end, self._pieces.room
        bounds = np.concatenate([[0], lengths.cumsum()])
        rows: list[Ints] = []
        row_of = np.empty(len(starts), dtype=np.int64)
        base = np.empty(len(starts), dtype=np.int64)
        for low, high in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            for start, stop, own in windows(counts[low:high], room):
                begin = starts[low + start]
                rows.append(ids[begin : starts[low + stop - 1] + counts[low + stop - 1]])
                row_of[low + own : low + stop] = len(rows) - 1
                base[low + own : low + stop] = begin
        sizes = np.array([len(row) for row in rows], dtype=np.int64)
        piece_lengths = sizes + (len(before) + len(after))
        pieces = np.full((len(rows), int(piece_lengths.max())), self._padding, dtype=np.int64)
        pieces[:, : len(before)] = before
        for row, own_ids in zip(pieces, rows, strict=True):
            size = len(before) + len(own_ids)
            row[len(before) : size] = own_ids
            row[size : size + len(after)] = after
        return row_of * pieces.shape[1] + len(before) + starts - base, pieces, piece_lengths

    def _learn(self, place: int, token: str) -> None:
        form = character_form(token, "lower")
        case = self._vocabulary * case_of(form) if self._vocabulary else 0
        ids = [piece + case for piece in self._pieces.of(form)]
        while self._used + len(ids) > len(self._ids):
            self._ids = grown(self._ids, len(self._ids))
        self._ids[self._used : self._used + len(ids)] = ids
        self._numbers = grown(self._numbers, place)
        self._numbers[place] = self._used, len(ids), self._spellings.meet(spelt(form, self._spelling))
        self._used += len(ids)
