"""Files, read and written so that nothing is half done and every fault has a place.

Text is UTF-8 everywhere. A file that is written appears under its name only when it is whole.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from biaffinity.errors import DataError

_REMEDIES = {
    errno.EACCES: "check its permissions",
    errno.EPERM: "check its permissions",
    errno.ENOSPC: "make room and run it again",
    errno.EDQUOT: "make room and run it again",
    errno.EROFS: "name another place",
    errno.EEXIST: "a folder on its path is a file: name another place",
    errno.ENOTDIR: "a folder on its path is a file: name another place",
}


def refused(done: str, path: Path, error: OSError) -> DataError:
    """What to raise where the system would not let a file be ``done``: "read" or "written"."""
    remedy = _REMEDIES.get(error.errno or 0)
    return DataError(f"cannot be {done}: {error.strerror or error}", where=str(path), remedy=remedy)


def existing_file(path: Path) -> Path:
    """The path itself if it is a readable file; a clear error if it is missing or a folder."""
    try:
        mode = path.stat().st_mode  # path.exists() hides errors such as a name too long, from Python 3.14 on
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        raise DataError("no such file", where=str(path), remedy="check the path") from error
    except OSError as error:  # a name too long, a folder that may not be entered
        raise refused("read", path, error) from error
    if stat.S_ISDIR(mode):
        raise DataError("is a folder, a file is needed here", where=str(path), remedy="name a file inside it")
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
        raise refused("read", path, error) from error


def read_text(path: Path) -> str:
    """The whole file as text, with its line ends and, if any, its byte order mark: offsets count them."""
    existing_file(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise refused("read", path, error) from error
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise _not_utf8(path, line, raw[error.start]) from error


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object that a file holds."""
    return _json_object(read_text(path).removeprefix("\ufeff"), path)


def read_json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The JSON object of each line with its place, ``path:line``; a blank line has none."""
    for number, line in read_lines(path):
        if line.strip():
            yield f"{path}:{number}", _json_object(line, path, number)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A neighbour of ``path`` to write to, which takes its name only if the block ends well.

    On any error, a full disk included, the neighbour is removed and whatever stood at ``path``
    before is untouched. A link stays one: what it points to is replaced.
    """
    try:
        target = path.resolve()
        if target.is_dir():
            raise DataError("is a folder, a file is to be written here", where=str(path))
        if target.exists() and not target.is_file():
            raise DataError("is no ordinary file and cannot be replaced", where=str(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    except OSError as error:
        raise refused("written", path, error) from error
    os.close(handle)
    neighbour = Path(name)
    try:
        yield neighbour
        with neighbour.open("rb+") as file:
            os.fsync(file.fileno())
        neighbour.chmod(0o666 & ~_umask())
        neighbour.replace(target)
    except OSError as error:
        raise refused("written", path, error) from error
    finally:
        neighbour.unlink(missing_ok=True)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[TextIO]:
    """A text file to write to that takes its name only if the block ends well (see `replacing`)."""
    try:
        with replacing(path) as neighbour, neighbour.open("w", encoding="utf-8", newline="\n") as file:
            yield file
    except UnicodeEncodeError as error:
        character = error.object[error.start]
        raise DataError(
            f"cannot be written: {character!r} is half a character (a lone surrogate)", where=str(path)
        ) from error


def json_fault(error: ValueError | RecursionError) -> str:
    """What is wrong with JSON that is well formed, in the same words on every Python."""
    return "arrays or objects are nested too deep" if isinstance(error, RecursionError) else str(error)


def _json_object(text: str, path: Path, line: int | None = None) -> dict[str, Any]:
    """The object of a whole file, or of one of its lines."""
    where = str(path) if line is None else f"{path}:{line}"
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(f"is not JSON: {error.msg}", where=f"{path}:{line or error.lineno}") from error
    except (ValueError, RecursionError) as error:  # a number too long, arrays too deep
        raise DataError(f"is not JSON to be read here: {json_fault(error)}", where=where) from error
    if not isinstance(value, dict):
        raise DataError("must hold a JSON object", where=where)
    return value


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
