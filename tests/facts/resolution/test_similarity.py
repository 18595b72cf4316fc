from __future__ import annotations

import sys
from itertools import combinations
from random import Random

import pytest

from biaffinity.errors import MissingExtraError
from biaffinity.facts.resolution import similarity
from biaffinity.facts.resolution.similarity import LARGEST_BLOCK, blocks, likeness, pairs


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("salima mourad", "salima murad"),
        ("norvik shipping", "norvik shiping"),
        ("kristal kola", "krstal kola"),
    ],
)
def test_a_slip_of_the_pen_is_seen(one: str, other: str) -> None:
    found = likeness(one, other)
    assert found is not None
    assert found.similarity >= similarity.THRESHOLD


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("world war i", "world war ii"),
        ("65th congress of solund", "64th congress of solund"),
        ("south ossetia", "south ossetian"),  # an inflection
        ("joan standing", "john standing"),  # short words
        ("north solund islands", "south solund islands"),  # another first letter
        ("harrow institute", "harrow institute press"),
        ("norvik", "norvk"),  # too short to be sure
    ],
)
def test_another_name_is_no_slip(one: str, other: str) -> None:
    assert likeness(one, other) is None


def test_names_that_are_alike_share_a_block() -> None:
    chance = Random(5)
    words = ["lindqvist", "okafor", "solund", "harrow", "norvik", "shipping", "marianne", "institute"]
    names = {" ".join(chance.choices(words, k=chance.randint(2, 3))) for _ in range(60)}
    for name in sorted(names):
        place = chance.randrange(1, len(name) - 1)
        names.add(name[:place] + chance.choice("aeo") + name[place + 1 :])
    numbered = dict(enumerate(sorted(names)))
    rows = [(block, id) for id, name in numbered.items() for block in set(blocks(name, "Peop"))]
    found = pairs(rows, set(numbered))
    alike = {pair for pair in combinations(numbered, 2) if likeness(*(numbered[id] for id in pair))}
    assert len(alike) > 20
    assert alike <= found
    assert len(found) < len(numbered) ** 2 / 8


def test_names_of_another_type_share_no_block() -> None:
    assert not {*blocks("salima mourad", "Peop")} & {*blocks("salima mourad", "Org")}


def test_a_block_that_is_too_large_is_passed_over() -> None:
    rows = [(1, name) for name in range(LARGEST_BLOCK + 1)]
    assert pairs(rows, {0}) == set()
    assert len(pairs(rows[:-1], {0})) == LARGEST_BLOCK - 1


def test_without_its_extra_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    similarity.levenshtein.cache_clear()
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    with pytest.raises(MissingExtraError, match=r"biaffinity\[facts\]"):
        likeness("salima mourad", "salima murad")
