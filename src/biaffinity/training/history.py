"""What happened in a run, epoch by epoch: ``history.jsonl``, a line of JSON each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from biaffinity.checksums import file_checksum
from biaffinity.errors import DataError
from biaffinity.files import read_lines, writing

HISTORY = "history.jsonl"


def write_history(folder: Path, history: list[dict[str, Any]]) -> None:
    """Write the history, whole or not at all."""
    with writing(folder / HISTORY) as file:
        file.writelines(json.dumps(line) + "\n" for line in history)


def read_history(folder: Path, epochs: int, checksum: str | None = None) -> list[dict[str, Any]]:
    """The history of the first ``epochs`` epochs; a kill may have left the line of one more."""
    path, history = folder / HISTORY, []
    if checksum is not None and file_checksum(path) != checksum:
        raise DataError(
            "is damaged: its checksum is another", where=str(path), remedy="restore it from a copy"
        )
    try:
        for _, line in read_lines(path):
            history.append(json.loads(line))
    except json.JSONDecodeError as error:
        raise DataError(f"is not JSON: {error.msg}", where=f"{path}:{len(history) + 1}") from error
    if len(history) < epochs:
        raise DataError(f"has {len(history)} epochs, the run has done {epochs}", where=str(path))
    return history[:epochs]
