"""A file that only grows, and the checksum of what it holds."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from biaffinity.files import refused

_PIECE = 1 << 20


class GrowingFile:
    """A file open for more; what it holds beyond ``size`` bytes is cut off.

    ``digest`` is that of these bytes, if there are any.
    """

    def __init__(self, path: Path, size: int = 0, digest: Any = None) -> None:
        self.path = path
        self._digest = digest if size else hashlib.sha256()
        try:
            self._file = path.open("ab")
            self._file.truncate(size)
        except OSError as error:
            raise refused("written", path, error) from error
        self.size = size

    def append(self, raw: bytes) -> None:
        """Add bytes; they are safe after `sync`."""
        try:
            self._file.write(raw)
        except OSError as error:
            raise refused("written", self.path, error) from error
        self._digest.update(raw)
        self.size += len(raw)

    def sync(self) -> None:
        """Have everything on the disk."""
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise refused("written", self.path, error) from error

    @property
    def checksum(self) -> str:
        """Of all that was added; none of nothing."""
        return str(self._digest.hexdigest()) if self.size else ""

    def close(self) -> None:
        """Add no more."""
        self._file.close()


def prefix_digests(path: Path, sizes: Sequence[int]) -> Iterator[Any]:
    """The digest of the first so many bytes of a file, for rising sizes; ends where the file does."""
    digest, read = hashlib.sha256(), 0
    try:
        with path.open("rb") as file:
            for size in sizes:
                while read < size and (piece := file.read(min(_PIECE, size - read))):
                    digest.update(piece)
                    read += len(piece)
                if read < size:
                    return
                yield digest.copy()
    except FileNotFoundError:
        return
    except OSError as error:
        raise refused("read", path, error) from error
