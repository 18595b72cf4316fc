"""Memory that is free goes back to the system while the service is at work.

What large requests have left lies scattered between what is still in use, and glibc keeps it: after an attack
a service held half as much again as before, and slowly more.
"""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import Callable

#: Seconds between two times; each takes one or two milliseconds, in a thread.
SECONDS = 1.0


class Trimmer:
    """Belongs to one event loop; idle when the service is."""

    def __init__(self) -> None:
        self._trim = _system_trim()
        self._is_due = False

    def soon(self) -> None:
        """Give back what is free in a second, with all that is free by then."""
        if self._trim is not None and not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_later(SECONDS, self._go)

    def _go(self) -> None:
        self._is_due = False
        if self._trim is not None:
            asyncio.get_running_loop().run_in_executor(None, self._trim, 0)


def _system_trim() -> Callable[[int], int] | None:
    """glibc's own function; None where there is no such thing."""
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # musl, macOS, Windows
        return None
    return trim
