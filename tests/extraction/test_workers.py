"""Work done by several processes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from biaffinity.errors import BiaffinityError
from biaffinity.extraction.workers import Workers

#: More than a pipe holds, so that neither side can send it before the other reads.
LARGE = 1 << 20


def capital() -> Callable[[str], str]:
    """The function that the processes make."""
    return str.upper


def refusal() -> Callable[[str], str]:
    """A function that cannot be made."""
    raise BiaffinityError("no model", remedy="make one")


@pytest.mark.parametrize("count", [1, 2, 3])
def test_large_pieces_and_results_come_through_in_order(count: int) -> None:
    letters = [chr(ord("a") + number % 26) for number in range(40)]
    with Workers[str, str](count, capital) as workers:
        results = list(workers.map(letter * LARGE for letter in letters))
    assert [result[0] for result in results] == [letter.upper() for letter in letters]
    assert {len(result) for result in results} == {LARGE}


def test_a_process_that_cannot_begin_says_why() -> None:
    with Workers[str, str](2, refusal) as workers, pytest.raises(BiaffinityError, match="no model"):
        list(workers.map(["a", "b"]))
