"""The colours of types: eight hues that colour-blind people tell apart (Okabe and Ito), for light and dark.

A type's colour follows from its name, so that it has the same one in most drawings; two types in one drawing
share a colour only where there are more than eight.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from zlib import crc32

_HUES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442", "#999999")
KINDS = len(_HUES)
_PREFERRED = 6  # yellow and grey only when the others are used up
_START = 17971  # of the checksum: with it, the types of news all ask for different kinds
_LINES, _NAMES = 3.0, 5.5  # the least contrast; WCAG asks for 3 and 4.5


@dataclass(frozen=True, slots=True)
class Tone:
    """The colours of one kind: of the inside of its boxes, of lines, of its name."""

    fill: str
    line: str
    name: str


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a drawing."""

    paper: str
    ink: str
    tones: tuple[Tone, ...]


def preferred_kind(name: str) -> int:
    """The kind that a type has wherever no other has it: it follows from the name."""
    return crc32(name.encode(errors="surrogatepass"), _START) % _PREFERRED


def kinds(types: Iterable[str]) -> dict[str, int]:
    """A kind, 0 to 7, for every type.

    >>> len(set(kinds(["Loc", "Org", "Other", "Peop"]).values()))
    4
    """
    names = sorted(set(types))
    given: dict[str, int] = {}
    for name in names:  # each the kind of its name, the first to ask for it
        kind = preferred_kind(name)
        if kind not in given.values():
            given[name] = kind
    free = [kind for kind in range(KINDS) if kind not in given.values()]
    for name in names:
        if name not in given:
            given[name] = free.pop(0) if free else len(given) % KINDS
    return given


def _mixed(colour: str, other: str, share: float) -> str:
    """A colour with a share of another in it."""
    pairs = ((int(colour[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def luminance(colour: str) -> float:
    """The relative luminance of a colour (WCAG 2.2)."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(colour: str, other: str) -> float:
    """The contrast of two colours, 1 to 21 (WCAG 2.2).

    >>> contrast("#000000", "#ffffff")
    21.0
    """
    low, high = sorted((luminance(colour), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _readable(hue: str, towards: str, on: str, least: float) -> str:
    """The hue, moved as far as it must be to have a contrast of ``least`` with what it stands on."""
    steps = (_mixed(hue, towards, step / 50) for step in range(51))
    return next(colour for colour in steps if contrast(colour, on) >= least)


def _theme(paper: str, ink: str, tint: float) -> Theme:
    tones = []
    for hue in _HUES:
        fill = _mixed(hue, paper, tint)
        # A name stands in a box and, on an arc, on paper; the box is the harder.
        tones.append(Tone(fill, _readable(hue, ink, paper, _LINES), _readable(hue, ink, fill, _NAMES)))
    return Theme(paper, ink, tuple(tones))


LIGHT = _theme("#ffffff", "#1b1f24", 0.8)
DARK = _theme("#14181f", "#e8eaed", 0.74)
