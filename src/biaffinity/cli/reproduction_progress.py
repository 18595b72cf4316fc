"""Many runs as a person watches them: bars on a terminal, a line per finished run elsewhere."""

from __future__ import annotations

import time
from datetime import timedelta

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from biaffinity.cli.display import Display
from biaffinity.experiments.plan import Run
from biaffinity.experiments.work import Advanced, Begun, Done, Failed, Outcome, Pair


class ReproductionDisplay(Display):
    """Shows what comes of the runs; use it as a context and call it with each outcome."""

    def __init__(self, console: Console, *, total: int, left: int, epochs: int) -> None:
        self.console = console
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            console=console,
            disable=not console.is_terminal,
        )
        self.total, self.epochs = total, epochs
        self.done, self.failures = total - left, list[Failed]()
        self._all = self.bar.add_task("runs", total=total, completed=self.done, note="")
        self._epochs_left = left * epochs  # over all runs
        self._epochs_done = 0
        self._running: dict[Run, TaskID] = {}
        self._epoch: dict[Run, int] = {}  # epochs that each running one has done
        self._since = time.perf_counter()

    def __call__(self, outcome: Outcome) -> None:
        """Show one outcome."""
        if isinstance(outcome, Begun):
            self._running[outcome.run] = self.bar.add_task(f"  {outcome.run.name}", total=None, note="epochs")
        elif isinstance(outcome, Advanced):
            self._advance(outcome)
        else:
            self.bar.remove_task(self._running.pop(outcome.run))
            self._epochs_left -= self.epochs - self._epoch.pop(outcome.run, 0)
            self._end(outcome)
        self._show()

    def _advance(self, outcome: Advanced) -> None:
        before = self._epoch.get(outcome.run)
        self._epoch[outcome.run] = outcome.epoch
        self._epochs_left -= outcome.epoch - (before or 0)
        if before is not None:  # what it did in earlier calls took no time now
            self._epochs_done += outcome.epoch - before
        self.bar.update(self._running[outcome.run], total=outcome.epochs, completed=outcome.epoch)

    def _end(self, outcome: Done | Failed) -> None:
        if isinstance(outcome, Failed):
            self.failures.append(outcome)
            self._say(f"failed: {outcome.run.name}: {outcome.problem} (see {outcome.log})")
            return
        self.done += 1
        told = f"{self._count()}  {outcome.run.name}  {_scores(outcome)}  {outcome.seconds:.0f} s"
        self._say(told + self._rest())

    def _show(self) -> None:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        self.bar.update(self._all, completed=self.done, note=f"{self._state()}{failed}{self._time_left()}")

    def _say(self, line: str) -> None:
        self.console.print(line, markup=False, emoji=False, highlight=False, soft_wrap=True)

    def _count(self) -> str:
        return f"{self.done:{len(str(self.total))}d}/{self.total} done"

    def _state(self) -> str:
        left = self.total - self.done - len(self.failures) - len(self._running)
        return f"{len(self._running)} running, {left} left"

    def _rest(self) -> str:
        """What a line says of the other runs: where there is a bar, it shows that."""
        return f"  ({self._state()}{self._time_left()})" if self.bar.disable else ""

    def _time_left(self) -> str:
        if not self._epochs_done or self._epochs_left <= 0:
            return ""
        seconds = (time.perf_counter() - self._since) / self._epochs_done * self._epochs_left
        return f", {timedelta(seconds=round(seconds))} to go"


def _scores(outcome: Done) -> str:
    entities = "NER" if outcome.run.setup == 1 else "EC"

    def pair(scores: Pair) -> str:
        return f"{entities} {100 * scores[0]:.1f} RC {100 * scores[1]:.1f}"

    return f"dev {pair(outcome.dev)}" + (f"  test {pair(outcome.test)}" if outcome.test else "")
