from __future__ import annotations

import io

import pytest
from rich.console import Console

from biaffinity.bulk.run import Advanced, Event, Finished, Noted, Skipped, Started
from biaffinity.cli import extraction_progress
from biaffinity.cli.extraction_progress import ExtractionDisplay


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that the display sees, in a list of one."""
    time = [100.0]
    monkeypatch.setattr(extraction_progress.time, "perf_counter", lambda: time[0])
    return time


def show(events: list[tuple[float, Event]], clock: list[float], console: Console) -> ExtractionDisplay:
    """A display that was shown events, each so many seconds after the one before."""
    with ExtractionDisplay(console) as display:
        for seconds, event in events:
            clock[0] += seconds
            display(event)
    return display


def test_without_a_terminal_there_is_a_line_now_and_then(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    events: list[tuple[float, Event]] = [
        (0, Started(1000, 0)),
        (10, Advanced(100, 2000, 200)),
        (30, Advanced(300, 6000, 800)),
        (10, Advanced(100, 2000, 1000)),
        (0, Finished(500)),
    ]
    display = show(events, clock, Console(file=io.StringIO()))
    # 600 bytes took 30 seconds, so the 200 that are left take 10.
    assert capsys.readouterr().err == "400 documents (10/s), 200 tokens/s, 0:00:10 left\n"
    assert display.rates() == "10 documents/s, 200 tokens/s"
    assert display.finished == Finished(500)


def test_where_the_size_is_not_known_no_time_left_is_told(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    events: list[tuple[float, Event]] = [
        (0, Started(None, 0)),
        (10, Advanced(100, 2000, 200)),
        (30, Advanced(300, 6000, 800)),
    ]
    show(events, clock, Console(file=io.StringIO()))
    assert capsys.readouterr().err == "400 documents (10/s), 200 tokens/s\n"


def test_what_an_earlier_run_read_does_not_count_as_speed(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    events: list[tuple[float, Event]] = [
        (0, Started(10_000, 5000)),
        (40, Advanced(10, 200, 9000)),
        (40, Advanced(10, 200, 9500)),
    ]
    show(events, clock, Console(file=io.StringIO()))
    assert capsys.readouterr().err.splitlines() == [
        "going on after 5,000 documents",
        "10 documents (0/s), 5 tokens/s",
        "20 documents (0/s), 5 tokens/s, 0:00:40 left",
    ]


def test_what_went_wrong_is_a_line_as_it_stands(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    show([(0, Skipped("a[1]:2: no")), (0, Noted("[x] long"))], clock, Console(file=io.StringIO()))
    assert capsys.readouterr().err == "left out: a[1]:2: no\nnote: [x] long\n"


def test_a_terminal_gets_a_bar(clock: list[float]) -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=150)
    show([(0, Started(1000, 0)), (10, Advanced(100, 2000, 250)), (9, Advanced(1, 1, 500))], clock, console)
    assert "50%" in screen.getvalue()
    assert "101 documents (5/s), 105 tokens/s, 0:00:18 left" in screen.getvalue()
