"""Checksums (SHA-256) of files, folders and records, so that damage is found and not gone on with."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from biaffinity.errors import DataError
from biaffinity.files import read_json, refused

#: The key of a record under which it has the checksum of all its others.
SEAL = "sha256"
_PIECE = 1 << 20


def file_checksum(path: Path) -> str | None:
    """The checksum of a file; None where there is none."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise refused("read", path, error) from error
    return digest.hexdigest()


def tree_checksum(path: Path) -> str | None:
    """The checksum of a file, or of a folder: of what its files are called and hold; None where it is not."""
    if not path.is_dir():
        return file_checksum(path)
    digest = hashlib.sha256()
    for each in sorted(each for each in path.rglob("*") if each.is_file()):
        digest.update(json.dumps([each.relative_to(path).as_posix(), file_checksum(each)]).encode())
    return digest.hexdigest()


def sealed(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record with its checksum.

    >>> is_sound(sealed({"seed": 1})), is_sound({**sealed({"seed": 1}), "seed": 2})
    (True, False)
    """
    return {**record, SEAL: _checksum(record)}


def is_sound(record: Mapping[str, Any]) -> bool:
    """Whether a record is what was sealed."""
    return record.get(SEAL) == _checksum({key: value for key, value in record.items() if key != SEAL})


def read_sealed(path: Path, remedy: str) -> dict[str, Any]:
    """The sealed record in a file; one that is not sound is an error that says what to do about it."""
    try:
        record = read_json(path)
    except DataError as error:
        raise DataError(f"is damaged: {error.what}", where=error.where, remedy=remedy) from error
    if not is_sound(record):
        raise DataError("is damaged: its checksum is another", where=str(path), remedy=remedy)
    return record


def _checksum(record: Mapping[str, Any]) -> str:
    plain = json.dumps(record, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()
