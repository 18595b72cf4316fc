"""One writer at a time: a lock that the system takes back when its process ends, however that ends."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from biaffinity.errors import UsageError
from biaffinity.files import refused

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


@contextlib.contextmanager
def sole_writer(target: Path, lock: Path) -> Iterator[None]:
    """Be the only one who writes ``target`` during the block, by the file ``lock``; else an error.

    The file is removed at the end, and so is its folder if it was made for it and nothing came into it. After
    a kill it stays, and means nothing.
    """
    made = not lock.parent.exists()
    handle = _acquire(target, lock)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # Windows does not remove an open file
            lock.unlink()
        os.close(handle)
        if made:
            with contextlib.suppress(OSError):  # something is in it
                lock.parent.rmdir()


def _acquire(target: Path, lock: Path) -> int:
    while True:
        try:
            lock.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise refused("written", lock, error) from error
        try:
            _lock(handle)
            # Whoever had it may have removed it since it was opened: then the lock is on no file at all.
            if os.path.samestat(os.fstat(handle), lock.stat()):
                return handle
        except FileNotFoundError:
            pass
        except OSError:
            os.close(handle)
            raise UsageError(
                "another process is writing it", where=str(target), remedy="wait for its end, or name another"
            ) from None
        os.close(handle)


def _lock(handle: int) -> None:
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    else:
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
