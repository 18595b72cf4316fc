"""What a person sees of many runs, on a terminal and elsewhere."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

pytest.importorskip("torch", reason="needs the extra train")

from biaffinity.cli.reproduction_progress import ReproductionDisplay
from biaffinity.experiments.plan import Run
from biaffinity.experiments.variants import FULL
from biaffinity.experiments.work import Advanced, Begun, Done, Failed, Outcome

ONE, TWO = Run(FULL, 1, 1), Run(FULL, 2, 1)
#: Of five runs two were done before; now one ends and one fails, after an earlier call's epoch.
OUTCOMES: list[Outcome] = [
    Begun(ONE),
    Begun(TWO),
    Advanced(ONE, 0, 2),
    Advanced(TWO, 1, 2),
    Advanced(ONE, 1, 2),
    Advanced(ONE, 2, 2),
    Done(ONE, (0.871, 0.669), (0.862, 0.644), 61.4),
    Failed(TWO, "the [loss] is nan", Path("out/log.txt")),
]


def shown(*, terminal: bool) -> str:
    file = io.StringIO()
    console = Console(file=file, force_terminal=terminal, width=160, color_system=None)
    with ReproductionDisplay(console, total=5, left=3, epochs=2) as display:
        for outcome in OUTCOMES:
            display(outcome)
    assert [failure.run for failure in display.failures] == [TWO]
    return file.getvalue()


def test_elsewhere_than_on_a_terminal_there_is_a_line_per_run() -> None:
    lines = shown(terminal=False).splitlines()
    assert len(lines) == 2
    assert re.fullmatch(
        r"3/5 done  full/setup1-seed1  dev NER 87\.1 RC 66\.9  test NER 86\.2 RC 64\.4  61 s"
        r"  \(1 running, 1 left, \d+:\d\d:\d\d to go\)",
        lines[0],
    )
    assert lines[1] == "failed: full/setup2-seed1: the [loss] is nan (see out/log.txt)"


def test_on_a_terminal_a_bar_counts_runs_and_each_running_one_has_its_own() -> None:
    text = shown(terminal=True)
    assert "failed: full/setup2-seed1: the [loss] is nan" in text
    assert re.search(r"runs .*3/5 +0 running, 1 left, 1 failed", text)


def test_epochs_of_an_earlier_call_do_not_count_into_the_rate() -> None:
    display = ReproductionDisplay(Console(file=io.StringIO()), total=1, left=1, epochs=10)
    display(Begun(ONE))
    display(Advanced(ONE, 8, 10))
    assert display._time_left() == ""
    display(Advanced(ONE, 9, 10))
    assert display._time_left() == ", 0:00:00 to go"
