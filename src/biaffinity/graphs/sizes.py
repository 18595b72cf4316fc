"""Bounds on sizes, as polynomials in the sizes of a graph's inputs, and on the whole numbers behind them.

A bound such as ``12 * batch * size * size`` holds for inputs of every size at once, so that a graph is judged
by what it may ever ask for and not by what it asks for with some example.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from biaffinity.graphs.wire import GraphError

#: A product of named sizes, in order: ("batch", "size", "size").
Monomial = tuple[str, ...]
#: What is said of a graph that is refused for it.
UNTOLD = "makes arrays whose sizes cannot be told beforehand"
#: Beyond these no graph of ours goes, and bounds would take long to compute.
_HIGHEST_DEGREE, _MOST_TERMS, _LARGEST = 6, 24, 1 << 62


@dataclass(frozen=True, slots=True)
class Size:
    """A polynomial whose variables are sizes: none is negative. Where it is not ``exact`` it is a bound."""

    terms: tuple[tuple[Monomial, int], ...]
    exact: bool = True

    @classmethod
    def of(cls, axis: int | str) -> Size:
        """A number, or the size of a named axis."""
        if isinstance(axis, str):
            return cls((((axis,), 1),))
        return cls((((), axis),) if axis else ())

    @classmethod
    def _sum(cls, terms: Iterable[tuple[Monomial, int]], exact: bool) -> Size:
        total: dict[Monomial, int] = {}
        for monomial, factor in terms:
            total[monomial] = total.get(monomial, 0) + factor
        if len(total) > _MOST_TERMS or any(
            len(monomial) > _HIGHEST_DEGREE or abs(factor) > _LARGEST for monomial, factor in total.items()
        ):
            raise GraphError(UNTOLD)
        return cls(tuple(sorted(term for term in total.items() if term[1])), exact)

    @property
    def number(self) -> int | None:
        """Its value where that is certain whatever the inputs are."""
        if not self.exact:
            return None
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    @property
    def least(self) -> int:
        """What it is at least: no input is empty."""
        factors = [factor for _, factor in self.terms]
        return sum(factors) if self.exact and all(factor > 0 for factor in factors) else 0

    @property
    def at_most(self) -> Size:
        """The same as a bound; what would make it smaller is left out."""
        return Size(tuple(term for term in self.terms if term[1] > 0), False)

    def __add__(self, other: Size) -> Size:
        return Size._sum((*self.terms, *other.terms), self.exact and other.exact)

    def __mul__(self, other: Size) -> Size:
        if self == ONE or other == ONE:
            return other if self == ONE else self
        return Size._sum(
            (
                (tuple(sorted(one + two)) if one and two else one or two, factor * times)
                for one, factor in self.terms
                for two, times in other.terms
            ),
            self.exact and other.exact,
        )

    def __floordiv__(self, number: int) -> Size:
        """What each of so many parts has; exact only if it comes out even."""
        even = all(factor % number == 0 for _, factor in self.terms)
        terms = tuple((monomial, -(-factor // number)) for monomial, factor in self.terms)
        return Size(terms, self.exact and even)

    def __or__(self, other: Size) -> Size:
        """A bound on both."""
        if self == other:
            return self
        one, two = dict(self.terms), dict(other.terms)
        return Size._sum(
            ((monomial, max(one.get(monomial, 0), two.get(monomial, 0))) for monomial in {**one, **two}),
            False,
        )

    def __str__(self) -> str:
        return " + ".join(" * ".join((f"{factor:,}", *monomial)) for monomial, factor in self.terms) or "0"


ONE = Size.of(1)


def product(sizes: Iterable[Size]) -> Size:
    """All of them multiplied."""
    total = ONE
    for size in sizes:
        total = total * size
    return total


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number: not below ``low`` (None: nobody knows) and not above ``high``."""

    low: int | None
    high: Size | None

    @classmethod
    def of(cls, number: int) -> Whole:
        """Just this number."""
        return cls(number, Size.of(number))

    @property
    def number(self) -> int | None:
        """Its value where that is certain."""
        return self.high.number if self.high is not None else None

    @property
    def size(self) -> Size:
        """As the size of an axis."""
        if self.high is None:
            raise GraphError("makes arrays whose sizes depend on what its inputs hold")
        return self.high if all(factor > 0 for _, factor in self.high.terms) else self.high.at_most

    def __or__(self, other: Whole) -> Whole:
        """Either of the two."""
        low = None if self.low is None or other.low is None else min(self.low, other.low)
        return Whole(low, None if self.high is None or other.high is None else self.high | other.high)


#: A whole number of which nothing is known.
ANY = Whole(None, None)
