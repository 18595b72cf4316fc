from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.errors import AnnotationError, DataError
from biaffinity.formats.piecewise import Piecewise, with_errors

# A piece is a list of items; None among them stands for an error, after which the piece has no more.
PIECES = st.lists(st.lists(st.none() | st.integers(), max_size=4), max_size=6)


def items(piece: list[int | None]) -> Iterator[int]:
    for item in piece:
        if item is None:
            raise DataError("bad")
        yield item


@given(pieces=PIECES)
def test_all_is_read_that_stands_before_an_error_in_its_piece(pieces: list[list[int | None]]) -> None:
    found = list(with_errors(Piecewise(pieces, items)))
    expected: list[object] = []
    for piece in pieces:
        for item in piece:
            expected.append("error" if item is None else item)
            if item is None:
                break
    assert ["error" if isinstance(item, DataError) else item for item in found] == expected


def test_an_error_before_the_first_item_of_a_piece_does_not_end_it_either() -> None:
    def read(number: int) -> list[int]:
        if number == 2:
            raise AnnotationError("bad")
        return [number, number]

    found = list(with_errors(Piecewise([1, 2, 3], read)))
    assert [item if isinstance(item, int) else str(item) for item in found] == [1, 1, "bad", 3, 3]


def test_pieces_that_break_off_end_it() -> None:
    def pieces() -> Iterator[list[int | None]]:
        yield [1]
        raise DataError("cut")

    found = list(with_errors(Piecewise(pieces(), items)))
    assert [str(item) for item in found] == ["1", "cut"]


def test_a_piece_is_not_taken_before_it_is_asked_for() -> None:
    taken = []

    def pieces() -> Iterator[list[int | None]]:
        for number in range(3):
            taken.append(number)
            yield [number]

    assert next(Piecewise(pieces(), items)) == 0
    assert taken == [0]


def test_errors_that_are_not_the_datas_are_let_through() -> None:
    with pytest.raises(ZeroDivisionError):
        list(with_errors(Piecewise([1], lambda _: [1 // 0])))
