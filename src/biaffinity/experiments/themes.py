"""Colours of pictures, for light and for dark ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Theme:
    """Two line colours that people of all kinds of sight tell apart (Okabe & Ito), and the rest."""

    ink: str
    ground: str
    grid: str
    blue: str
    orange: str

    def settings(self) -> Any:
        """As matplotlib takes them; ids in an SVG are the same each time."""
        inked = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
        grounded = ("figure.facecolor", "axes.facecolor", "savefig.facecolor")
        rest = {"grid.color": self.grid, "svg.hashsalt": "biaffinity", "font.size": 10, "axes.titlesize": 11}
        return {**dict.fromkeys(inked, self.ink), **dict.fromkeys(grounded, self.ground), **rest}


LIGHT = Theme(ink="#1f2328", ground="#ffffff", grid="#d8dee4", blue="#0072b2", orange="#d55e00")
DARK = Theme(ink="#e6edf3", ground="#0d1117", grid="#30363d", blue="#56b4e9", orange="#e69f00")
