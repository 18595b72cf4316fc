from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

pytest.importorskip("torch", reason="needs the extra train")

from biaffinity.cli.progress import TrainingDisplay
from biaffinity.encoders.recurrent.vectors import Coverage
from biaffinity.training import Advised, EpochEnded, Event, Finishing, Progress, Started, StoppedEarly


def run(first: int = 0, **facts: object) -> list[Event]:
    """Two epochs of three updates after ``first`` of three epochs."""
    start = {"epoch": first, "epochs": 3, "parameters": 1234, "sentences": 12, "steps_per_epoch": 3}
    events: list[Event] = [Started(**{**start, "coverage": None, "left_out": {}, **facts})]  # type: ignore[arg-type]
    for epoch in range(first + 1, min(first + 2, 3) + 1):
        events += [Progress(epoch, step, 4, 7.25) for step in (1, 2, 3)]
        events.append(EpochEnded(epoch, 5.5, 1.25, "micro F1", 0.5, 0.25, 0.375, epoch == 1, 0.02, 1.5, 0.5))
    return events


def shown(events: list[Event], *, terminal: bool) -> str:
    file = io.StringIO()
    console = Console(file=file, force_terminal=terminal, width=200, color_system=None)
    with TrainingDisplay(console) as display:
        for event in events:
            display(event)
    return file.getvalue()


def test_elsewhere_than_on_a_terminal_there_is_a_plain_line_per_epoch() -> None:
    lines = shown(run(), terminal=False).splitlines()
    assert lines[0] == "12 sentences, 1,234 parameters, 3 epochs"
    assert len(lines) == 3
    assert re.fullmatch(
        r"epoch   1  loss 5\.50 \+ 1\.25  dev micro F1: entities 50\.0  relations 25\.0  mean 37\.5  1\.5 s"
        r"  \d+ sentences/s  \d+:\d\d:\d\d left  best so far",
        lines[1],
    )
    assert not lines[2].endswith("best so far")
    assert "\x1b" not in "".join(lines)


def test_on_a_terminal_a_bar_shows_loss_rate_and_time_left() -> None:
    text = shown(run(), terminal=True)
    bars = [line for line in text.splitlines() if "training" in line or "loss 7.25" in line]
    assert re.search(r"epoch 2/3, loss 7\.25 .*6/9 +\d+ sentences/s +\d+:\d\d:\d\d +left ", bars[-1])
    assert "dev micro F1: entities 50.0" in text


def test_advice_stands_before_the_run_and_is_no_markup() -> None:
    lines = shown([Advised("no [bold] relation"), *run()], terminal=False).splitlines()
    assert lines[:2] == ["note: no [bold] relation", "12 sentences, 1,234 parameters, 3 epochs"]


def test_an_early_end_is_told() -> None:
    lines = shown([*run(), StoppedEarly(2, 1)], terminal=False).splitlines()
    assert lines[-1] == "stopping after epoch 2: none after 1 was better"


def test_what_is_done_to_the_model_at_the_end_is_a_line_each() -> None:
    steps = [Finishing("calibrating it on dev"), Finishing("exporting it")]
    lines = shown([*run(), *steps], terminal=False).splitlines()
    assert lines[-2:] == ["calibrating it on dev ...", "exporting it ..."]


def test_what_is_done_to_the_model_at_the_end_stands_beside_the_bar() -> None:
    text = shown([*run(), Finishing("exporting it")], terminal=True)
    assert re.search(r"exporting it \.\.\. .*6/9 ", text.splitlines()[-2])


def test_a_resumed_run_says_where_it_goes_on() -> None:
    assert "going on after epoch 1" in shown(run(first=1), terminal=False)


def test_a_complete_run_says_that_nothing_is_left() -> None:
    text = shown(run(first=3), terminal=False)
    assert "nothing is left to train" in text
    assert "going on" not in text


def test_what_is_left_out_and_what_the_vectors_know_is_told() -> None:
    text = shown(
        run(coverage=Coverage(4, 3, 10, 9), left_out={"entities inside or across others": 2}), terminal=False
    )
    assert "word vectors know 75.0% of 4 words, 90.0% of 10 tokens" in text
    assert "left out of training: 2 entities inside or across others" in text
