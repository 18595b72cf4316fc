"""The rows of a file of word vectors, text or binary: read as a stream, only those asked for kept."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from biaffinity.errors import DataError

Matrix = npt.NDArray[np.floating[Any]]

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
#: Bytes read at a time; a word and its vector in a binary file fit into one such block.
BLOCK = 1 << 20
_LARGEST_DIMENSION = 100_000
_FLOAT = np.dtype("<f4")


class Choice:
    """Which rows are kept: those of the first ``limit`` and of ``wanted`` words; with neither, all."""

    def __init__(self, wanted: Callable[[str], bool] | Collection[str] | None, limit: int | None) -> None:
        self.all = wanted is None and limit is None
        self.first = limit or 0
        self.wanted = wanted if wanted is None or callable(wanted) else frozenset(wanted).__contains__

    def keeps(self, word: str, row: int) -> bool:
        """Whether this word, the file's row number ``row`` from 0, is kept."""
        return self.all or row < self.first or (self.wanted is not None and self.wanted(word))

    def ends_before(self, row: int) -> bool:
        """Whether this row and all after it are left out, whatever their words."""
        return not self.all and self.wanted is None and row >= self.first


def read_header(fields: Sequence[bytes]) -> tuple[int, int] | None:
    """Count and dimension, if these are the fields of word2vec's first line."""
    if len(fields) == 2 and all(field.isdigit() for field in fields):
        count, dimension = map(int, fields)
        return (count, dimension) if 0 < dimension <= _LARGEST_DIMENSION else None
    return None


class TextReader:
    """Rows of text, chosen one by one and handed to numpy's own text reader.

    That reader is the quickest way measured (`np.fromstring` and `np.array` of the fields take a fifth
    longer). It asks for a row when it has parsed the one before, so a fault lies in the last one.
    """

    def __init__(self, stream: IO[bytes], header: tuple[int, int] | None, path: Path, choice: Choice) -> None:
        self.stream, self.header, self.path, self.choice = stream, header, path, choice
        self.dimension = header[1] if header else 0
        self.kept: dict[str, int] = {}
        self.last = b""

    def read(self) -> tuple[dict[str, int], Matrix]:
        """The line of each word kept, and the vectors."""
        rows = self._rows()
        first = next(rows, None)
        if first is None:
            return self.kept, np.empty((0, self.dimension), dtype=_FLOAT)
        rows = itertools.chain([first], rows)
        try:
            return self.kept, np.loadtxt(rows, dtype=_FLOAT, comments=None, delimiter=" ", ndmin=2)
        except DataError:
            raise
        except ValueError as error:
            culprit = next((field for field in self.last.split(b" ") if not _is_number(field)), self.last)
            what = f"{culprit.decode('utf-8', errors='replace')!r} is not a number"
            raise self._fault(what, next(reversed(self.kept.values())), "mend or remove the line") from error

    def _rows(self) -> Iterator[bytes]:
        """The numbers of each row to keep, also in ``last``; its word goes into ``kept``."""
        row = 0
        header = self.header
        for number, line in enumerate(self.stream, start=1):
            line = (line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line).strip()
            if not line:
                continue
            if header is not None:
                header = None
                continue
            raw, numbers = self._split(line, number)
            if self.choice.ends_before(row):
                return
            try:
                word = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                what = f"byte 0x{raw[error.start]:02x} is not UTF-8"
                raise self._fault(what, number, "remove such bytes: iconv -c -f utf-8 -t utf-8") from error
            if word not in self.kept and self.choice.keeps(word, row):
                self.kept[word], self.last = number, numbers
                yield numbers
            row += 1
        if row == 0 or (self.header and row < self.header[0]):
            promised = f", its first line promises {self.header[0]:,}" if self.header else ""
            what = f"holds {row:,} words{promised}"
            raise DataError(what, where=str(self.path), remedy="download it again")

    def _split(self, line: bytes, number: int) -> tuple[bytes, bytes]:
        """The word and its numbers; the first line tells how many there are unless a header did."""
        self.dimension = self.dimension or len(line.split()) - 1
        if line.count(b" ") == self.dimension:
            word, _, numbers = line.partition(b" ")
            return word, numbers
        word, *fields = line.rsplit(None, self.dimension)
        *pieces, last = word.split()
        # A word may hold spaces, but one that ends in a decimal number is a row with a column too many.
        if len(fields) < self.dimension or (pieces and _is_number(last) and not last.isdigit()):
            found, expected = len(line.split()), self.dimension + 1
            what = f"has {found} columns, expected {expected}: a word and {self.dimension} numbers"
            raise self._fault(what, number, "mend or remove the line")
        return word, b" ".join(fields)

    def _fault(self, what: str, line: int, remedy: str) -> DataError:
        return DataError(what, where=f"{self.path}:{line}", remedy=remedy)


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def read_binary(
    stream: IO[bytes], count: int, dimension: int, path: Path, choice: Choice
) -> tuple[dict[str, int], Matrix]:
    """The row of each word kept, counted from 1, and the vectors.

    word2vec cuts long words at a byte, not at a character. The rest of such a character is replaced:
    no token will ever be equal to the word, and nobody can mend a binary file.
    """
    while not stream.readline().strip():
        pass
    kept: dict[str, int] = {}
    numbers = bytearray()
    width = dimension * _FLOAT.itemsize
    block, start = b"", 0
    for row in range(count):
        if choice.ends_before(row):
            break
        space = block.find(b" ", start)
        if space < 0 or space + 1 + width > len(block):
            block, start = block[start:] + stream.read(BLOCK), 0
            space = block.find(b" ")
            if space < 0 or space + 1 + width > len(block):
                what = f"ends in row {row + 1:,} of {count:,}"
                raise DataError(what, where=str(path), remedy="download it again")
        # Some writers end a row with a line feed.
        word = block[start:space].lstrip(b"\n").decode("utf-8", errors="replace")
        start = space + 1 + width
        if word not in kept and choice.keeps(word, row):
            kept[word] = row + 1
            numbers += block[space + 1 : start]
    return kept, np.frombuffer(numbers, dtype=_FLOAT).reshape(len(kept), dimension)
