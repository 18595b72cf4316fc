"""What a person sees of a distillation, by a clock of our own."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

pytest.importorskip("torch", reason="needs the extra train")

from biaffinity.cli import distillation_progress
from biaffinity.cli.distillation_progress import DistillationDisplay
from biaffinity.distillation import (
    Event,
    Labelled,
    Mixed,
    Noted,
    Skipped,
    TeacherStarted,
    TextRead,
    Voted,
    Voting,
)
from biaffinity.training import Advised

EVENTS: list[tuple[float, Event]] = [
    (1, Skipped("a.txt: is broken")),
    (1, Noted("a sentence was cut")),
    (1, TextRead(4000, 100, 100)),
    (0, TeacherStarted("large", 1, 2, 4000, 1000)),
    (10, Labelled(100, 2500)),
    (30, Labelled(300, 7500)),
    (0, TeacherStarted("larger", 2, 2, 4000, 0)),
    (1, Voting(2000, 4000)),
    (1, Voted(4000, 9000, 1200)),
    (0, Mixed(900, 10, 3990, 10)),
    (0, Advised("few sentences")),
]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that the display sees, in a list of one."""
    time = [100.0]
    monkeypatch.setattr(distillation_progress.time, "perf_counter", lambda: time[0])
    return time


def show(console: Console, clock: list[float]) -> None:
    with DistillationDisplay(console) as display:
        for seconds, event in EVENTS:
            clock[0] += seconds
            display(event)


def test_without_a_terminal_there_is_a_line_for_each_step_and_now_and_then(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    shown = io.StringIO()
    show(Console(file=shown), clock)
    # 400 of 3,000 sentences took 40 seconds, so the rest takes 260.
    assert capsys.readouterr().err.splitlines() == [
        "left out: a.txt: is broken",
        "note: a sentence was cut",
        "teacher 1 of 2, large: 4,000 sentences, going on after 1,000",
        "400 sentences read, 10 sentences/s, 250 tokens/s, 0:04:20 left",
        "teacher 2 of 2, larger: 4,000 sentences",
        "labelled: 9,000 entities and 1,200 relations in 4,000 sentences",
        "the student learns from 900 gold sentences, 10 times over, and from 3,990 labelled ones "
        "(10 left out that stand in train, dev or test)",
    ]
    assert shown.getvalue() == "note: few sentences\n"  # the training's own display has taken over


def test_on_a_terminal_a_bar_shows_teacher_rate_and_time_left(clock: list[float]) -> None:
    shown = io.StringIO()
    show(Console(file=shown, force_terminal=True, width=120), clock)
    assert "note: few sentences" in shown.getvalue()


def test_the_bar_follows_the_teacher(clock: list[float]) -> None:
    display = DistillationDisplay(Console(file=io.StringIO(), force_terminal=True, width=120))
    for seconds, event in EVENTS[:6]:
        clock[0] += seconds
        display(event)
    [task] = display.bar.tasks
    assert (task.description, task.completed, task.total) == ("teacher 1/2", 1400, 4000)
    assert task.fields["rate"] == "10 sentences/s, 250 tokens/s, 0:04:20 left"
    display(Voting(2000, 4000))
    assert (task.description, task.completed, task.total) == ("voting", 2000, 4000)
