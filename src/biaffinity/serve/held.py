"""Bytes that are held for clients: bodies that are still coming, answers that are still going."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from biaffinity.serve.problems import ServiceError


class Held:
    """A bound on them all together: many clients, each slow, could else fill the memory."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.now = 0

    @contextmanager
    def some(self) -> Iterator[Hold]:
        """What one client makes the service hold."""
        hold = Hold(self)
        try:
            yield hold
        finally:
            self.now -= hold.size


class Hold:
    """The part of one client."""

    def __init__(self, held: Held) -> None:
        self._held = held
        self.size = 0

    def keep(self, size: int) -> None:
        """Hold so much from now on; more than before is refused if there is too much already, unless there is
        nothing else.
        """
        others = self._held.now - self.size
        if size > self.size and others and others + size > self._held.most:
            raise ServiceError(
                429,
                f"{self._held.now:,} bytes are on their way to and from other clients",
                remedy="send it again in 1 s",
                headers={"Retry-After": "1"},
            )
        self._held.now = others + size
        self.size = size
