"""What the parts of a corpus are for, told by their names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath

_ROLES = {
    "train": ("train", "training"),
    "dev": ("dev", "development", "val", "valid", "validation"),
    "test": ("test", "testing"),
}


def role(name: str) -> str | None:
    """``train``, ``dev`` or ``test`` where a word of the name says so.

    >>> role("ade-train.v2"), role("Validation"), role("contest")
    ('train', 'dev', None)
    """
    words = re.findall("[a-z]+", PurePath(name).name.lower())
    return next((r for r, synonyms in _ROLES.items() if not set(synonyms).isdisjoint(words)), None)


def training_data(names: Sequence[str]) -> tuple[str, ...]:
    """The names that say train; where none does, the first."""
    return tuple(name for name in names if role(name) == "train") or tuple(names[:1])


def in_order(names: Sequence[str]) -> list[str]:
    """Training data first, then dev, then test, then the rest: a repeat is looked for in what came before."""
    training = training_data(names)
    rank = {"dev": 1, "test": 2}
    return sorted(names, key=lambda name: 0 if name in training else rank.get(role(name) or "", 3))


def named(paths: Iterable[Path]) -> dict[str, Path]:
    """Each path under its stem; under the whole path where two stems are the same.

    >>> list(named([Path("a/train.jsonl"), Path("a/dev.jsonl"), Path("b/dev.jsonl")]))
    ['train', 'a/dev.jsonl', 'b/dev.jsonl']
    """
    distinct = list(dict.fromkeys(paths))
    stems = Counter(path.stem for path in distinct)
    return {path.stem if stems[path.stem] == 1 else path.as_posix(): path for path in distinct}
