"""Runs side by side, each in a process of its own, so that one that dies takes no other with it."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Generator, Iterable
from multiprocessing.connection import Connection, wait
from typing import Any

from biaffinity.experiments.plan import LOG, Experiment, Run
from biaffinity.experiments.work import Advanced, Begun, Done, Failed, Outcome, work
from biaffinity.processes import ending, interrupts_ignored


def perform(experiment: Experiment, runs: Iterable[Run], jobs: int) -> Generator[Outcome, None, None]:
    """Do the runs, at most ``jobs`` at a time and in this order, and tell what comes of them.

    Where the reader stops, or Ctrl-C stops it, the processes are ended: each run goes on from its last whole
    epoch the next time.
    """
    waiting = deque(runs)
    active: dict[Connection, tuple[Run, Any]] = {}
    try:
        while waiting or active:
            while waiting and len(active) < jobs:
                run = waiting.popleft()
                connection, process = _start(experiment, run)
                active[connection] = run, process
                yield Begun(run)
            speaking = wait(list(active))
            for connection in [c for c in active if c in speaking]:
                run, process = active[connection]
                outcome = _hear(connection, process, experiment, run)
                if not isinstance(outcome, Advanced):
                    del active[connection]
                    connection.close()
                    process.join()
                    process.close()
                yield outcome
    finally:
        for _, process in active.values():
            process.terminate()
        for connection, (_, process) in active.items():
            connection.close()
            process.join()
            process.close()


def _start(experiment: Experiment, run: Run) -> tuple[Connection, Any]:
    # Spawned, not forked: threads of the parent and a GPU's context would be lost in a fork.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    with interrupts_ignored():
        process = context.Process(target=work, args=(theirs, experiment, run), name=run.name, daemon=True)
        process.start()
    theirs.close()
    return ours, process


def _hear(connection: Connection, process: Any, experiment: Experiment, run: Run) -> Outcome:
    """What a process tells next; its death, if that is all there is to hear."""
    try:
        outcome = connection.recv()
    except (EOFError, OSError):
        process.join()
        problem = f"its process {ending(process.exitcode)} (is memory short? try fewer --workers)"
        return Failed(run, problem, experiment.folder(run) / LOG)
    assert isinstance(outcome, Advanced | Done | Failed)
    return outcome
