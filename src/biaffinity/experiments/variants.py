"""The seven networks of the paper's Table 2: each is the full one with some switches set otherwise."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from biaffinity.config.settings import Config
from biaffinity.errors import UsageError


@dataclass(frozen=True, slots=True)
class Variant:
    """A row of the table: how it is called here and in the paper, and its switches."""

    name: str
    letter: str
    title: str
    switches: tuple[tuple[str, Any], ...] = ()

    @property
    def overrides(self) -> list[str]:
        """The switches as overrides of a recipe; a recipe that sets one of the others is set right too."""
        return [f"{key}={str(value).lower()}" for key, value in {**SWITCHES, **dict(self.switches)}.items()]

    def fits(self, config: Config) -> bool:
        """Whether a network is of this kind, whatever its sizes and additions."""
        values = config.model_dump()
        wanted = {**SWITCHES, **dict(self.switches)}
        return all(values[section].get(key) == wanted[f"{section}.{key}"] for section, key in _SPLIT)

    def __str__(self) -> str:
        return f"({self.letter}) {self.title}" if self.letter else self.title


#: The paper's numbers of its two tasks.
SETUPS: dict[str, int] = {"predicted": 1, "given": 2}
#: What the variants change, as the full network has it.
SWITCHES: dict[str, Any] = {
    "model.architecture": "joint",
    "encoder.characters": True,
    "model.tagger": "crf",
    "model.label_embeddings": True,
    "model.bilinear": True,
    "model.linear": True,
}
_SPLIT = [tuple(key.split(".")) for key in SWITCHES]

#: In the order of the paper's table.
VARIANTS = {
    variant.name: variant
    for variant in (
        Variant("pipeline", "", "pipeline", (("model.architecture", "pipeline"),)),
        Variant("full", "", "joint, full"),
        Variant("no-characters", "a", "no character embeddings", (("encoder.characters", False),)),
        Variant("softmax", "b", "softmax instead of CRF", (("model.tagger", "softmax"),)),
        Variant("no-entity", "c", "no entity embeddings", (("model.label_embeddings", False),)),
        Variant("linear-only", "d", "linear only", (("model.bilinear", False),)),
        Variant("bilinear-only", "e", "bilinear only", (("model.linear", False),)),
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


def variant_of(config: Config) -> Variant | None:
    """The variant that a network is, if it is one."""
    return next((variant for variant in VARIANTS.values() if variant.fits(config)), None)


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
