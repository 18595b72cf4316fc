"""Files, read and written so that nothing is half done and every fault has a place.

Text is UTF-8 everywhere. A file that is written appears under its name only when it is whole.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from biaffinity.errors import DataError


def existing_file(path: Path) -> Path:
    """The path itself if it is a readable file; a clear error if it is missing or a folder."""
    if path.is_dir():
        raise DataError("is a folder, a file is needed here", where=str(path), remedy="name a file inside it")
    if not path.exists():
        raise DataError("no such file", where=str(path), remedy="check the path")
    return path


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Each line with its number from 1, without its line end; only ``\\n`` and ``\\r\\n`` end a line.

    A byte order mark at the start is skipped; a byte that is not UTF-8 is an error with its line.
    """
    existing_file(path)
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                if number == 1:
                    raw = raw.removeprefix(b"\xef\xbb\xbf")
                yield number, _decode(raw, path, number).removesuffix("\n").removesuffix("\r")
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", where=str(path)) from error


def read_text(path: Path) -> str:
    """The whole file as text, its line ends untouched (character offsets depend on them)."""
    existing_file(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", where=str(path)) from error
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise _not_utf8(path, line, raw[error.start]) from error


@contextlib.contextmanager
def writing(path: Path) -> Iterator[TextIO]:
    """A text file to write to that takes its name only if the block ends well.

    The text goes to a neighbour of ``path`` first; on any error, a full disk included, that
    neighbour is removed and whatever stood at ``path`` before is untouched.
    """
    if path.is_dir():
        raise DataError("is a folder, a file is to be written here", where=str(path))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        neighbour = Path(name)
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror}", where=str(path)) from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        neighbour.chmod(0o666 & ~_umask())
        neighbour.replace(path)
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror}", where=str(path)) from error
    finally:
        neighbour.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _decode(raw: bytes, path: Path, line: int) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_utf8(path, line, raw[error.start]) from error


def _not_utf8(path: Path, line: int, byte: int) -> DataError:
    return DataError(
        f"byte 0x{byte:02x} is not UTF-8",
        where=f"{path}:{line}",
        remedy="convert the file first, e.g. iconv -f latin1 -t utf-8",
    )
