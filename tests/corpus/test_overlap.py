from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given

from biaffinity.annotation import Entity, Sentence
from biaffinity.corpus.overlap import overlaps
from strategies import sentences


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ((0, 3), (1, 2), "nested"),
        ((0, 3), (0, 2), "nested"),
        ((0, 3), (1, 3), "nested"),
        ((0, 2), (1, 3), "crossing"),
        ((0, 2), (0, 2), "same-span"),
    ],
)
def test_two_entities_share_tokens_in_one_of_three_ways(
    first: tuple[int, int], second: tuple[int, int], kind: str
) -> None:
    pair = [Entity(*first, "Loc"), Entity(*second, "Org")]
    assert list(overlaps(pair)) == [kind]
    assert list(overlaps(pair[::-1])) == [kind]


def test_neighbours_share_nothing() -> None:
    assert list(overlaps([Entity(0, 2, "Loc"), Entity(2, 3, "Loc")])) == []


@given(sentences())
def test_every_pair_is_found_that_comparing_all_of_them_finds(sentence: Sentence) -> None:
    expected: Counter[str] = Counter()
    for index, a in enumerate(sentence.entities):
        for b in sentence.entities[:index]:
            mine, other = set(range(a.start, a.end)), set(range(b.start, b.end))
            if mine == other:
                expected["same-span"] += 1
            elif mine <= other or other <= mine:
                expected["nested"] += 1
            elif mine & other:
                expected["crossing"] += 1
    assert Counter(overlaps(sentence.entities)) == expected
