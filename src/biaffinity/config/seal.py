"""The seal of a model folder: checksums of its files in config.json, and one of config.json itself.

A folder that is sealed is whole: whoever changes a file of it breaks the seal first and sets it again when
all is written. So one that was left half way, or that an earlier version wrote, has none; and damage to one
that has it is found.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biaffinity.checksums import SEAL, file_checksum, sealed
from biaffinity.config.folder import (
    ABOUT,
    CARD,
    CONFIG,
    EXAMPLES,
    FILES,
    GRAPH_SUFFIX,
    WEIGHTS,
    model_files,
    read_description,
    read_head,
)
from biaffinity.errors import BiaffinityError, BiaffinityWarning, DataError
from biaffinity.files import writing

#: Texts for people, who may change them: no runtime reads them, and a model is opened whatever they say.
TEXTS = (CARD, EXAMPLES, ABOUT)


@dataclass(frozen=True, slots=True)
class Finding:
    """A file of a model, and what is wrong with it, if anything is."""

    file: str
    fault: str | None = None


def seal(folder: Path) -> None:
    """Write the checksums of all files of a model, as they are now, into its config.json."""
    with writing(folder / CONFIG) as file:
        file.write(sealed_config(folder, {}))


def sealed_config(folder: Path, others: Mapping[str, str]) -> str:
    """The config.json of a folder with its seal; ``others`` are checksums of files that will be others."""
    head = _unsealed(read_head(folder))
    # The head without its seal is what is described, since an earlier seal may be the broken one.
    names = [path.name for path in model_files(folder, head) if path.name != CONFIG]
    checksums = {name: file_checksum(folder / name) for name in names} | dict(others)
    return json.dumps(sealed({**head, FILES: dict(sorted(checksums.items()))}), indent=2, ensure_ascii=False)


def unseal(folder: Path) -> None:
    """Break the seal, if there is one, before a file is changed."""
    if not (folder / CONFIG).exists():
        return
    head = read_head(folder)
    if head != (plain := _unsealed(head)):
        with writing(folder / CONFIG) as file:
            json.dump(plain, file, indent=2, ensure_ascii=False)


def check_seal(folder: Path, *, graphs: bool) -> str | None:
    """See that no file that a runtime reads is damaged; the checksum of the weights, if there is a seal.

    ``graphs`` are looked at only where they are going to be run. A folder without a seal is opened with a
    warning.
    """
    head = read_head(folder)
    if head.get(FILES) is None:
        warnings.warn(
            f"{folder} has no checksums, so that damage to it cannot be found"
            f" (if you trust it, run: biaffinity verify --seal {folder})",
            BiaffinityWarning,
            stacklevel=2,
        )
        return None
    left_out = (*TEXTS, *(() if graphs else (GRAPH_SUFFIX,)))
    weights = None
    for path, known, found in _compared(folder, head, left_out):
        if fault := _fault(known, found):
            raise DataError(fault, where=str(path), remedy=_remedy(folder))
        weights = found if path.name == WEIGHTS else weights
    return weights


def verify(folder: Path) -> list[Finding]:
    """What is right and what is wrong, file by file; a folder without a seal has nothing to compare with."""
    try:
        read_description(folder)
        head = read_head(folder)
    except BiaffinityError as error:
        return [Finding(CONFIG, error.what)]
    if head.get(FILES) is None:
        return [Finding(CONFIG, "has no checksums: nothing can be told of the other files")]
    findings = [Finding(path.name, _fault(known, found)) for path, known, found in _compared(folder, head)]
    there = {finding.file for finding in findings}
    gone = [Finding(name, "is missing") for name in head[FILES] if name not in there]
    return [Finding(CONFIG), *sorted([*findings, *gone], key=lambda finding: finding.file)]


def _compared(
    folder: Path, head: dict[str, Any], left_out: tuple[str, ...] = ()
) -> Iterator[tuple[Path, str | None, str | None]]:
    """The files of a model that are there, each with the checksum that it should have and its own.

    Those whose names end as ``left_out`` says are not looked at.
    """
    for path in model_files(folder, _unsealed(head)):
        if path.name != CONFIG and not path.name.endswith(left_out):
            yield path, head[FILES].get(path.name), file_checksum(path)


def _fault(known: str | None, found: str | None) -> str | None:
    if known is None:
        return f"is not among the files that {CONFIG} names"
    return None if known == found else f"is damaged or another: its checksum is not that of {CONFIG}"


def _unsealed(head: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in head.items() if key not in (FILES, SEAL)}


def _remedy(folder: Path) -> str:
    return f"copy it again; if you changed it yourself, run: biaffinity verify --seal {folder}"
