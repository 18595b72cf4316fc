"""Work done by several processes."""

from __future__ import annotations

from functools import partial
from operator import attrgetter

import pytest

from biaffinity.workers import Workers

#: More than a pipe holds, so that neither side can send it before the other reads.
LARGE = 1 << 20


@pytest.mark.parametrize("count", [1, 2, 3])
def test_large_pieces_and_results_come_through_in_order(count: int) -> None:
    letters = [chr(ord("a") + number % 26) for number in range(40)]
    with Workers[str, str](count, partial(attrgetter("upper"), str)) as workers:
        results = list(workers.map(letter * LARGE for letter in letters))
    assert [result[0] for result in results] == [letter.upper() for letter in letters]
    assert {len(result) for result in results} == {LARGE}
