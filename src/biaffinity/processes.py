"""Processes that a process starts: what Ctrl-C is to them, and how one came to its end."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def interrupts_ignored() -> Iterator[None]:
    """Let processes started here ignore Ctrl-C for life: their parent ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set a signal's handler
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def ending(exitcode: int) -> str:
    """How a process ended that should not have.

    >>> ending(-9), ending(1)
    ('was killed by signal 9', 'ended with exit code 1')
    """
    return f"was killed by signal {-exitcode}" if exitcode < 0 else f"ended with exit code {exitcode}"
