"""Where files are: on a disk that all machines share, or in an object store, by their usual names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any

from biaffinity.annotation.schema import arrow_library
from biaffinity.bulk.sources import SUFFIXES
from biaffinity.errors import DataError


@dataclass(frozen=True, slots=True)
class Location:
    """A file: what the user calls it, where any machine finds it, its size and when it was last changed."""

    name: str
    place: str
    size: int
    changed: float


def file_systems() -> Any:
    """The module ``pyarrow.fs``, of the extra ``tables``."""
    arrow_library("reading files of a cluster")
    return import_module("pyarrow.fs")


def filesystem(place: str) -> tuple[Any, str]:
    """The file system of a place, such as ``s3://bucket/news`` or a path, and the path there."""
    fs = file_systems()
    try:
        if "://" not in place:
            return fs.LocalFileSystem(), str(Path(place).absolute())
        found: tuple[Any, str] = fs.FileSystem.from_uri(place)
        return found
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be reached: {error}", where=place, remedy="check its name") from error


def find_files(name: str) -> Iterator[Location]:
    """The file of that name, or all files of a folder that their names tell the kind of, in order."""
    fs, path = filesystem(name)
    kinds = file_systems()
    try:
        info = fs.get_file_info(path)
        if info.type == kinds.FileType.File:
            yield _location(name, name, path, info)
            return
        if info.type != kinds.FileType.Directory:
            raise DataError("no such file or folder", where=name, remedy="check the path")
        below = fs.get_file_info(kinds.FileSelector(path, recursive=True))
    except OSError as error:
        raise DataError(f"cannot be read: {error}", where=name) from error
    found = False
    for each in sorted((each for each in below if each.type == kinds.FileType.File), key=lambda e: e.path):
        relative = PurePosixPath(each.path).relative_to(path)
        hidden = any(part.startswith((".", "_")) for part in relative.parts)
        if relative.suffix.lower() in SUFFIXES and not hidden:
            found = True
            yield _location(f"{name.rstrip('/')}/{relative}", name, each.path, each)
    if not found:
        known = ", ".join(SUFFIXES)
        raise DataError(
            f"holds no file whose name ends in one of {known}", where=name, remedy="name the files"
        )


def _location(name: str, of: str, path: str, info: Any) -> Location:
    changed = info.mtime.timestamp() if info.mtime is not None else 0.0
    place = f"{of.split('://')[0]}://{path}" if "://" in of else os.fspath(path)
    return Location(name, place, info.size, changed)
