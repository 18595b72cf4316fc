"""Starting processes: Ctrl-C is ignored meanwhile, in the main thread, and only there."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

from biaffinity.processes import ending, interrupts_ignored


def test_interrupts_are_ignored_inside_and_heard_again_after() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interrupts_ignored():
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    assert signal.getsignal(signal.SIGINT) is before


def test_another_thread_may_start_processes_too() -> None:
    entered = []

    def start() -> None:
        with interrupts_ignored():
            entered.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert entered == [signal.getsignal(signal.SIGINT)]


def test_an_ending_is_told_as_the_system_tells_it() -> None:
    def run(program: str) -> int:
        return subprocess.run([sys.executable, "-c", program], check=False).returncode

    assert ending(run("raise SystemExit(3)")) == "ended with exit code 3"
    assert ending(run("import os; os.kill(os.getpid(), 9)")) == "was killed by signal 9"
