"""The seven networks of the paper's Table 2: each is the full one with some switches set otherwise."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from biaffinity.errors import UsageError
from biaffinity.model.config import ModelConfig


@dataclass(frozen=True, slots=True)
class Variant:
    """A row of the table: how it is called here and in the paper, and its switches in ``[model]``."""

    name: str
    letter: str
    title: str
    switches: tuple[tuple[str, Any], ...] = ()

    @property
    def overrides(self) -> list[str]:
        """The switches as overrides of a recipe; a recipe that sets one of the others is set right too."""
        values = {**_FULL, **dict(self.switches)}
        return [f"model.{key}={str(value).lower()}" for key, value in values.items()]

    def fits(self, model: ModelConfig) -> bool:
        """Whether a network is of this kind, whatever its sizes and additions."""
        values = {**_FULL, **dict(self.switches)}
        return all(getattr(model, key) == value for key, value in values.items())

    def __str__(self) -> str:
        return f"({self.letter}) {self.title}" if self.letter else self.title


_FULL: dict[str, Any] = {
    "architecture": "joint",
    "characters": True,
    "tagger": "crf",
    "label_embeddings": True,
    "bilinear": True,
    "linear": True,
}

#: In the order of the paper's table.
VARIANTS = {
    variant.name: variant
    for variant in (
        Variant("pipeline", "", "pipeline", (("architecture", "pipeline"),)),
        Variant("full", "", "joint, full"),
        Variant("no-characters", "a", "no character embeddings", (("characters", False),)),
        Variant("softmax", "b", "softmax instead of CRF", (("tagger", "softmax"),)),
        Variant("no-entity", "c", "no entity embeddings", (("label_embeddings", False),)),
        Variant("linear-only", "d", "linear only", (("bilinear", False),)),
        Variant("bilinear-only", "e", "bilinear only", (("linear", False),)),
    )
}
FULL = VARIANTS["full"]


def variants_named(names: str) -> list[Variant]:
    """The variants of a list such as ``full,softmax``, or ``all``; in the table's order.

    >>> [variant.name for variant in variants_named("softmax,full")]
    ['full', 'softmax']
    """
    wanted = {name.strip() for name in names.split(",")}
    if wanted == {"all"}:
        return list(VARIANTS.values())
    for name in sorted(wanted - VARIANTS.keys()):
        near = difflib.get_close_matches(name, VARIANTS, n=1)
        known = f"did you mean {near[0]}?" if near else f"known: all, {', '.join(VARIANTS)}"
        raise UsageError(f"no variant has the name {name!r}", where="--variants", remedy=known)
    return [variant for variant in VARIANTS.values() if variant.name in wanted]


def variant_of(model: ModelConfig) -> Variant | None:
    """The variant that a network is, if it is one."""
    return next((variant for variant in VARIANTS.values() if variant.fits(model)), None)


def whole_numbers(text: str, where: str) -> Sequence[int]:
    """Numbers from 1 in words such as ``3-7`` or ``1,4-6``; each once, in order.

    >>> whole_numbers("1,4-6", "--seeds")
    [1, 4, 5, 6]
    """
    numbers: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        try:
            begin, end = int(first), int(last or first)
        except ValueError:
            begin = end = -1
        if not 0 < begin <= end:
            raise UsageError(f"{part!r} is no number from 1", where=where, remedy="such as 1,4 or 3-7")
        numbers.update(range(begin, end + 1))
    return sorted(numbers)
