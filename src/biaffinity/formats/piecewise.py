"""Reading piece by piece, so that an error in one piece does not hide the pieces after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from biaffinity.errors import AnnotationError, DataError

Piece = TypeVar("Piece")
Item = TypeVar("Item")


class Piecewise(Iterator[Item], Generic[Piece, Item]):
    """What ``read`` gives for each piece, one after the other.

    An error ends a generator for good; here, whoever asks again gets what the next piece holds.

    >>> halves = Piecewise([2, 0, 4], lambda n: [1 / n])
    >>> next(halves)
    0.5
    >>> next(halves)
    Traceback (most recent call last):
    ...
    ZeroDivisionError: division by zero
    >>> next(halves)
    0.25
    """

    def __init__(self, pieces: Iterable[Piece], read: Callable[[Piece], Iterable[Item]]) -> None:
        self._pieces = iter(pieces)
        self._read = read
        self._items: Iterator[Item] = iter(())

    def __next__(self) -> Item:
        while True:
            for item in self._items:
                return item
            self._items = iter(self._read(next(self._pieces)))


def with_errors(items: Iterator[Item]) -> Iterator[Item | AnnotationError | DataError]:
    """Every item, and in the place of one that cannot be read the error that says why."""
    while True:
        found: Item | AnnotationError | DataError
        try:
            found = next(items)
        except StopIteration:
            return
        except (AnnotationError, DataError) as error:
            found = error
        yield found
