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


@pytest.mark.parametrize("count", [0, 1])
def test_no_pieces_have_no_results(count: int) -> None:
    with Workers[str, str](count, partial(attrgetter("upper"), str)) as workers:
        assert list(workers.map([])) == []


def test_pieces_without_a_process_are_an_error() -> None:
    workers = Workers[str, str](0, partial(attrgetter("upper"), str))
    with workers, pytest.raises(ValueError, match="no process"):
        list(workers.map(["a"]))
