"""What every featuriser has: a memory of the tokens that it has met, each seen through once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import cast

from biaffinity.encoders.spelling import LONGEST_END


class TokensMet(ABC):
    """Numbers tokens in the order in which they are met."""

    def __init__(self) -> None:
        self._tokens: dict[str, int] = {}
        self._met = 0

    @property
    def remembered(self) -> int:
        """How many distinct tokens are kept; each takes some hundred bytes."""
        return self._met

    def featurise(self, tokens: Sequence[str]) -> list[int]:
        """A sentence of at least one token, as the places of its tokens among those met."""
        known = self._tokens.get
        places = [known(token) for token in tokens]
        return [self._meet(token) for token in tokens] if None in places else cast(list[int], places)

    @abstractmethod
    def _learn(self, place: int, token: str) -> None:
        """Keep what is to be known of a new token."""

    def _meet(self, token: str) -> int:
        """The place of a token among those met, new or not."""
        place = self._tokens.get(token)
        if place is not None:
            return place
        place, self._met = self._met, self._met + 1
        self._learn(place, token)
        if len(token) <= 2 * LONGEST_END:  # what is longer hardly comes again, and may be megabytes
            self._tokens[token] = place
        return place
