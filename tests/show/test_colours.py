from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.show import STYLE
from biaffinity.show.colours import DARK, KINDS, LIGHT, Theme, kinds
from show.drawn import ANYTHING

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
# Light as eyes without one kind of cone see it (Viénot, Brettel and Mollon 1999), in linear RGB.
BLINDNESS = {
    "protan": ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0)),
    "deutan": ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0)),
}


def linear(colour: str) -> list[float]:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]


def contrast(one: str, other: str) -> float:
    """The formula of WCAG 2.2."""
    weights = (0.2126, 0.7152, 0.0722)
    a, b = (sum(w * p for w, p in zip(weights, linear(colour), strict=True)) for colour in (one, other))
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)


def lab(rgb: list[float]) -> list[float]:
    """CIELAB under D65."""
    matrix = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    xyz = [sum(m * max(p, 0.0) for m, p in zip(row, rgb, strict=True)) for row in matrix]
    f = [
        (v / white) ** (1 / 3) if v / white > 0.008856 else 7.787 * v / white + 16 / 116
        for v, white in zip(xyz, (0.9505, 1.0, 1.089), strict=True)
    ]
    return [116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])]


@THEMES
def test_all_text_can_be_read(theme: Theme) -> None:
    assert contrast(theme.ink, theme.paper) >= 7
    for tone in theme.tones:
        assert contrast(theme.ink, tone.fill) >= 7
        assert contrast(tone.name, tone.fill) >= 4.5
        assert contrast(tone.name, theme.paper) >= 4.5
        assert contrast(tone.line, theme.paper) >= 3


@THEMES
@pytest.mark.parametrize("blindness", BLINDNESS)
def test_the_lines_of_two_kinds_differ_to_colour_blind_eyes(theme: Theme, blindness: str) -> None:
    seen = []
    for tone in theme.tones:
        rgb = linear(tone.line)
        seen.append(lab([sum(m * p for m, p in zip(row, rgb, strict=True)) for row in BLINDNESS[blindness]]))
    for one, other in combinations(seen, 2):
        assert sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5 > 5


@THEMES
def test_the_stylesheet_has_every_colour(theme: Theme) -> None:
    assert {theme.paper, theme.ink} <= set(STYLE.replace(";", ":").split(":"))
    for tone in theme.tones:
        assert all(colour in STYLE for colour in (tone.fill, tone.line, tone.name))


@given(st.sets(ANYTHING, max_size=KINDS))
def test_up_to_eight_types_have_a_colour_each(types: set[str]) -> None:
    given_kinds = kinds(types)
    assert given_kinds.keys() == types
    assert len(set(given_kinds.values())) == len(types)


@given(st.lists(ANYTHING, min_size=9, max_size=30, unique=True), st.randoms())
def test_more_types_share_colours_whatever_their_order(types: list[str], chance) -> None:
    before = kinds(types)
    chance.shuffle(types)
    assert kinds(types) == before
    assert set(before.values()) == set(range(KINDS))


@pytest.mark.parametrize(
    "types", [("Kill", "Live_In", "Located_In", "OrgBased_In", "Work_For"), ("Loc", "Org", "Other", "Peop")]
)
def test_a_type_of_news_has_the_same_colour_alone_and_among_the_others(types: tuple[str, ...]) -> None:
    together = kinds(types)
    assert all(kinds([name])[name] == together[name] for name in types)
