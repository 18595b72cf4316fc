"""Pretrained word vectors: GloVe and word2vec files, and a word list beside a numpy matrix.

The kind of a file is told by what is in it:

=====================  ===========================================================================
GloVe text             ``word number number ...`` per line
word2vec text          the same after a first line ``count dimension`` (fastText's ``.vec`` too)
word2vec binary        that first line, then per word its bytes, a space, float32 little endian
NAME.words.txt         one word per line; row i of the ``NAME.*.npy`` beside it belongs to line i
=====================  ===========================================================================

The first three may be gzipped or the only member of a zip archive. They are read as a stream that
keeps only what is asked for, so a file far larger than the memory can be read.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import IO, cast

import numpy as np

from biaffinity.annotation import Sentence
from biaffinity.encoders.normalisation import word_form
from biaffinity.encoders.recurrent.settings import RecurrentSettings
from biaffinity.encoders.recurrent.vector_rows import (
    BLOCK,
    BYTE_ORDER_MARK,
    Choice,
    Matrix,
    TextReader,
    read_binary,
    read_header,
)
from biaffinity.errors import DataError
from biaffinity.files import existing_file, read_text

_WORD_LIST = ".words.txt"
_CONTROL_BYTE = re.compile(rb"[\x00-\x08\x0e-\x1f]")


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Distinct words in the order of their file, most frequent first as a rule, and a vector for each.

    ``matrix`` is [words, dimension], of any float type; it may be mapped from a file, read-only.
    """

    words: Sequence[str]
    matrix: Matrix
    #: The name of the file, without its folder.
    source: str

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return int(self.matrix.shape[1])

    def row(self, word: str) -> int | None:
        """The row of exactly this word, None if it has no vector."""
        return self._rows.get(word)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._rows

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}


@dataclass(frozen=True)
class Coverage:
    """How much of a vocabulary has a vector: in distinct words, and in running tokens."""

    words: int
    known_words: int
    tokens: int
    known_tokens: int

    def __str__(self) -> str:
        words = f"{_percent(self.known_words, self.words)} of {self.words:,} words"
        return f"{words}, {_percent(self.known_tokens, self.tokens)} of {self.tokens:,} tokens"


def coverage(vocabulary: Mapping[str, int] | Iterable[str], vectors: WordVectors) -> Coverage:
    """How many words have a vector; ``vocabulary`` maps word to count, or is any stream of words.

    >>> vectors = WordVectors(["the", "of"], np.eye(2), source="two.txt")
    >>> print(coverage({"the": 3, "vltava": 1}, vectors))
    50.0% of 2 words, 75.0% of 4 tokens
    """
    counts = vocabulary if isinstance(vocabulary, Mapping) else Counter(vocabulary)
    known = [word for word in counts if word in vectors]
    return Coverage(
        words=len(counts),
        known_words=len(known),
        tokens=sum(counts.values()),
        known_tokens=sum(counts[word] for word in known),
    )


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "0.0%"


def load_vectors(
    path: Path, wanted: Callable[[str], bool] | Collection[str] | None = None, limit: int | None = None
) -> WordVectors:
    """The vectors of the ``wanted`` words and those of the first ``limit`` rows; with neither, of all.

    Of a word that occurs twice the first vector is kept. In text, words may hold spaces (some of GloVe
    840B do); every line is checked for its number of columns, numbers are checked where they are kept.
    A whole word list with its matrix is mapped, not read, and its numbers are not checked at all.
    """
    choice = Choice(wanted, limit)
    try:
        with _opened(existing_file(path)) as stream:
            words, matrix = _read(stream, path, choice)
    except (EOFError, gzip.BadGzipFile, zlib.error, zipfile.BadZipFile) as error:
        raise DataError("is damaged or cut short", where=str(path), remedy="download it again") from error
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", where=str(path)) from error
    return WordVectors(words, matrix, source=path.name)


def load_vectors_for(settings: RecurrentSettings, path: Path, sentences: Iterable[Sentence]) -> WordVectors:
    """The rows that an encoder of these sentences can use, so that the largest file needs little memory."""
    tokens = set(chain.from_iterable(sentence.tokens for sentence in sentences))
    words = {word_form(token, settings.normalisation) for token in tokens}
    others = settings.keep_unseen if settings.unseen_words == "pretrained" else 0
    return load_vectors(path, wanted=words, limit=others + len(words) if others else 0)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of the file, unpacked if its first bytes say gzip or zip."""
    with contextlib.ExitStack() as stack:
        file: IO[bytes] = stack.enter_context(path.open("rb"))
        magic = file.read(4)
        file.seek(0)
        if magic.startswith(b"\x1f\x8b"):
            file = cast(IO[bytes], stack.enter_context(gzip.open(file)))
        elif magic in (b"PK\x03\x04", b"PK\x05\x06"):
            file = stack.enter_context(_only_member(stack.enter_context(zipfile.ZipFile(file)), path))
        # Python's unpackers find line ends slowly; a buffer around them does it in C.
        yield stack.enter_context(io.BufferedReader(cast(io.RawIOBase, file), BLOCK))


def _only_member(archive: zipfile.ZipFile, path: Path) -> IO[bytes]:
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) != 1:
        raise DataError(
            f"is an archive of {len(members)} files, one is needed",
            where=str(path),
            remedy="unpack it and name the file to read",
        )
    try:
        return archive.open(members[0])
    except RuntimeError as error:  # a password is needed, or a compression that Python lacks
        raise DataError(f"cannot be unpacked: {error}", where=str(path), remedy="unpack it first") from error


def _read(stream: IO[bytes], path: Path, choice: Choice) -> tuple[Sequence[str], Matrix]:
    """Words and vectors of whatever kind of file the first bytes show."""
    head = stream.read(4096)
    stream.seek(0)
    fields = head.removeprefix(BYTE_ORDER_MARK).lstrip().partition(b"\n")[0].split()
    if not fields:
        raise DataError("is empty", where=str(path), remedy="name a file of word vectors")
    header = read_header(fields)
    is_binary = _CONTROL_BYTE.search(head) is not None
    if header is None and is_binary:
        raise DataError(
            "is not a file of word vectors",
            where=str(path),
            remedy=f"GloVe and word2vec files are known, and NAME{_WORD_LIST} with NAME.*.npy",
        )
    place = f"{path}:"
    if header is None and len(fields) == 1:
        kept, matrix = _read_word_list(path, choice)
        if isinstance(matrix, np.memmap):
            return list(kept), matrix
    elif header is not None and is_binary:
        kept, matrix = read_binary(stream, *header, path, choice)
        place = f"{path}: row "
    else:
        kept, matrix = TextReader(stream, header, path, choice).read()
    finite = np.isfinite(matrix).all(axis=1)
    if not finite.all():
        number = list(kept.values())[int(finite.argmin())]
        raise DataError(
            "the vector holds NaN or infinity", where=f"{place}{number}", remedy="mend or remove it"
        )
    return list(kept), matrix


def _read_word_list(path: Path, choice: Choice) -> tuple[dict[str, int], Matrix]:
    """The line of each word kept, and the rows of the matrix beside the list, mapped if all are kept."""
    if not path.name.endswith(_WORD_LIST):
        raise DataError(
            "holds words without numbers",
            where=str(path),
            remedy=f"a word list is named NAME{_WORD_LIST} and has its matrix beside it as NAME.*.npy",
        )
    text = read_text(path).removeprefix("\ufeff").replace("\r\n", "\n")
    words = text.removesuffix("\n").split("\n")
    beside = _matrix_beside(path)
    try:
        matrix = np.lib.format.open_memmap(beside, mode="r")  # never unpickles
    except (ValueError, OSError) as error:
        raise DataError(
            f"is not a numpy array that can be mapped: {error}",
            where=str(beside),
            remedy="save it anew with np.save",
        ) from error
    if matrix.ndim != 2 or not np.issubdtype(matrix.dtype, np.floating):
        what = f"is an array of {matrix.dtype} with {matrix.ndim} dimensions, a matrix of floats is needed"
        raise DataError(what, where=str(beside), remedy="save it as [words, dimension]")
    if len(matrix) != len(words):
        what = f"has {len(matrix):,} rows for the {len(words):,} lines of {path.name}"
        raise DataError(what, where=str(beside), remedy="row i must belong to line i")
    kept: dict[str, int] = {}
    for row, word in enumerate(words):
        if word not in kept and choice.keeps(word, row):
            kept[word] = row + 1
    if len(kept) == len(words):
        return kept, matrix
    return kept, matrix[np.fromiter(kept.values(), dtype=np.intp, count=len(kept)) - 1]


def _matrix_beside(path: Path) -> Path:
    name = path.name.removesuffix(_WORD_LIST)
    found = sorted(
        file for file in path.parent.iterdir() if file.name.startswith(f"{name}.") and file.suffix == ".npy"
    )
    if len(found) == 1:
        return found[0]
    if not found:
        raise DataError(
            f"no matrix {name}.*.npy beside it",
            where=str(path),
            remedy="put the .npy file into the same folder",
        )
    names = ", ".join(file.name for file in found)
    raise DataError(f"several matrices beside it: {names}", where=str(path), remedy="leave one there")
