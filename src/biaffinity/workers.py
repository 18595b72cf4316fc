"""Work done by several processes side by side, its results in the order of the work.

A process gets a piece of work and one more to go on with, so that it need not wait for its parent, and sends
back a result for each, over a pipe of its own. Whichever side dies, the other reads the end of the pipe:
nothing waits for ever, and no process outlives its parent for longer than the piece in its hands.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from biaffinity.errors import BiaffinityError
from biaffinity.processes import ending, interrupts_ignored

W = TypeVar("W")
R = TypeVar("R")

# Results that wait for a slower one before them, per process: this bounds memory.
_AHEAD = 4
# Pieces that a process has at a time: the one it works on, and the next.
_IN_HAND = 2


class Workers(Generic[W, R]):
    """Processes that each make a function once, with ``prepare``, and then apply it; use it as a context."""

    def __init__(self, count: int, prepare: Callable[[], Callable[[W], R]]) -> None:
        self.count = count
        self.prepare = prepare
        self._processes: dict[Connection, Any] = {}

    def __enter__(self) -> Workers[W, R]:
        # Spawned, not forked: threads of the parent (numpy's, onnxruntime's) would be lost in a fork.
        context = multiprocessing.get_context("spawn")
        with interrupts_ignored():
            for _ in range(self.count):
                ours, theirs = context.Pipe()
                process = context.Process(target=_work, args=(theirs, self.prepare), daemon=True)
                process.start()
                theirs.close()
                self._processes[ours] = process
        return self

    def __exit__(self, *_: object) -> None:
        for connection, process in self._processes.items():
            connection.close()
            process.terminate()
        for process in self._processes.values():
            process.join()
            process.close()
        self._processes.clear()

    def map(self, pieces: Iterable[W]) -> Iterator[R]:
        """The result of every piece, in order; no further ahead of the reader than a few pieces."""
        remaining = enumerate(pieces)
        if not self.count:  # as many as there are pieces, where that is none
            if next(remaining, None) is not None:
                raise ValueError("there are pieces, and no process to work on them")
            return
        ready: list[Connection] = []  # those that have made their function
        starting = set(self._processes)
        in_hand: dict[Connection, deque[int]] = {connection: deque() for connection in self._processes}
        done: dict[int, R] = {}
        given = taken = 0
        exhausted = False
        while True:
            while ready and not exhausted and given - taken < self.count * _AHEAD:
                connection = min(ready, key=lambda one: len(in_hand[one]))
                if len(in_hand[connection]) == _IN_HAND:
                    break
                number, piece = next(remaining, (-1, None))
                exhausted = piece is None
                if piece is not None:
                    self._send(connection, piece)
                    in_hand[connection].append(number)
                    given += 1
            while taken in done:
                yield done.pop(taken)
                taken += 1
            if exhausted and taken == given:
                return
            working = [connection for connection, numbers in in_hand.items() if numbers]
            if not working and not starting:
                continue  # all that was given is done and taken: there is room to give more
            answered = wait([*working, *starting])
            for connection in [one for one in in_hand if one in answered]:
                result = self._receive(connection)
                if connection in starting:
                    starting.remove(connection)
                    ready.append(connection)
                else:
                    done[in_hand[connection].popleft()] = result

    def _send(self, connection: Connection, piece: W) -> None:
        try:
            connection.send(piece)
        except OSError:
            raise self._death(connection) from None

    def _receive(self, connection: Connection) -> R:
        try:
            result = connection.recv()
        except (EOFError, OSError):
            raise self._death(connection) from None
        if isinstance(result, BiaffinityError):
            raise result
        return result  # type: ignore[no-any-return]

    def _death(self, connection: Connection) -> BiaffinityError:
        process = self._processes[connection]
        process.join()
        remedy = "is memory short? try fewer processes"
        return BiaffinityError(f"a worker process {ending(process.exitcode)}", remedy=remedy)


def _work(connection: Connection, prepare: Callable[[], Callable[[Any], Any]]) -> None:
    """A process's life: make the function, then answer until the parent hangs up."""
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        try:
            function = prepare()
            connection.send(None)
            for piece in _pieces(connection):
                connection.send(function(piece))
        except BiaffinityError as error:
            # Of the plain kind, which can always be sent.
            connection.send(BiaffinityError(error.what, where=error.where, remedy=error.remedy))


def _pieces(connection: Connection) -> Iterator[Any]:
    """What the parent sends, until it hangs up.

    Read by a thread, as it comes: were the next piece left in the pipe, parent and process could each wait
    for the other to read.
    """
    received: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def receive() -> None:
        with contextlib.suppress(EOFError, ConnectionResetError):
            while True:
                received.put(connection.recv())
        received.put(None)

    threading.Thread(target=receive, daemon=True).start()
    while (piece := received.get()) is not None:
        yield piece
