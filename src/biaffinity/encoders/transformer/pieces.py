"""Words as the pieces that a pretrained transformer knows, and long sentences as overlapping windows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tokenizers import Tokenizer

from biaffinity.decoding.arrays import Ints
from biaffinity.errors import DataError
from biaffinity.files import refused

#: Pieces of one word that are read; a longer word (an address, say) is cut in the middle.
LONGEST_WORD = 32


class WordPieces:
    """A tokeniser of the library ``tokenizers``, applied to one word at a time as if it stood after a space.

    Args:
        tokenizer: reads words; what it would cut or pad by itself is switched off.
        limit: pieces that the transformer can read at one time, those around a sentence included.
    """

    def __init__(self, tokenizer: Tokenizer, limit: int) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self.tokenizer = tokenizer
        framed = tokenizer.encode(["a"], is_pretokenized=True)
        own = [place for place, special in enumerate(framed.special_tokens_mask) if not special]
        #: The pieces before and after a sentence.
        self.start: list[int] = framed.ids[: own[0]]
        self.end: list[int] = framed.ids[own[-1] + 1 :]
        #: Pieces of a sentence in one window.
        self.room = limit - len(self.start) - len(self.end)
        self._longest = min(LONGEST_WORD, self.room)
        self._unknown = self._unknown_piece()

    @classmethod
    def read(cls, path: Path, limit: int) -> WordPieces:
        """The tokeniser of a model folder."""
        try:
            content = path.read_bytes()
        except OSError as error:
            raise refused("read", path, error) from error
        try:
            return cls(Tokenizer.from_buffer(content), limit)
        except Exception as error:  # the library raises bare exceptions
            raise DataError(
                f"is damaged: {error}", where=str(path), remedy="copy or train it again"
            ) from error

    def of(self, word: str) -> list[int]:
        """The pieces of a word, at least one."""
        word = word.encode(errors="replace").decode()  # the library takes no half characters
        pieces: list[int] = self.tokenizer.encode([word], is_pretokenized=True, add_special_tokens=False).ids
        if len(pieces) > self._longest:
            half = self._longest // 2
            pieces = pieces[: self._longest - half] + (pieces[-half:] if half else [])
        return pieces or [self._unknown]

    def _unknown_piece(self) -> int:
        """What stands for a word that has no piece, such as one of control characters."""
        for word in ("\ufffd", "?", "a"):
            if pieces := self.tokenizer.encode([word], is_pretokenized=True, add_special_tokens=False).ids:
                return int(pieces[0])
        raise DataError("the tokeniser knows no piece at all")


def windows(counts: Ints, room: int) -> Iterator[tuple[int, int, int]]:
    """The words of a sentence in windows of at most ``room`` pieces that overlap by up to a quarter of it.

    A word is read where it has the more context: of two windows that hold it, from the one whose end is
    farther away.

    Args:
        counts: [words], the pieces of each word, none more than ``room``.

    Yields:
        Of each window the first word, the one after its last, and the first of those to be read from it.
    """
    ends = counts.cumsum()
    start = own = 0
    while True:
        before = int(ends[start - 1]) if start else 0
        stop = int(ends.searchsorted(before + room, side="right"))
        yield start, stop, own
        if stop == len(counts):
            return
        # The next window begins where this one has a quarter left, or farther on if the next word would not
        # fit: a window that ends no later than this one would only take context away.
        begin = max(int(ends[stop - 1]) - room // 4, int(ends[stop]) - room)
        start = int(ends.searchsorted(begin, side="left")) + 1
        own = (start + stop) // 2
