"""A distillation that was killed goes on and ends as one that was not, whatever it was at."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from biaffinity.distillation import Labelled, Mixed, TeacherStarted, TextRead, Voted, Voting, labelling
from biaffinity.errors import BiaffinityError
from biaffinity.training import EpochEnded, Finishing
from distillation.runs import Run, files
from training import tiny


@pytest.fixture(scope="module")
def whole(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("whole") / "whole"
    run(folder)
    return folder


def outcome(folder: Path) -> tuple[Any, ...]:
    """What a run leaves: labels, training data, history and weights."""
    weights = {name: tensor.tolist() for name, tensor in tiny.weights(folder).items()}
    return files(folder / "labels"), (folder / "train.jsonl").read_bytes(), tiny.history(folder), weights


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        (TextRead, 0),
        (TeacherStarted, 0),
        (Labelled, 1),  # in the second part of the first teacher
        (TeacherStarted, 1),
        (Labelled, 6),
        (Voting, 1),
        (Voted, 0),
        (Mixed, 0),
        (EpochEnded, 0),
        (Finishing, 0),
    ],
)
def test_a_run_that_dies_at_any_moment_goes_on(
    kind: type, count: int, run: Run, whole: Path, tmp_path: Path
) -> None:
    out = tmp_path / "killed"
    run.killed_at(out, kind, count)
    run(out, resume=True)
    assert outcome(out) == outcome(whole)


def test_processes_side_by_side_label_as_one_does(run: Run, whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "side by side"
    run.killed_at(out, Labelled, 1, workers=2)
    assert not (out / "labels" / "labelled.jsonl").exists()
    run(out, resume=True, workers=2)
    assert outcome(out) == outcome(whole)


def test_processes_side_by_side_have_nothing_to_do_for_teachers_that_are_done(
    run: Run, whole: Path, tmp_path: Path
) -> None:
    out = tmp_path / "s"
    run.killed_at(out, Voting, 0)
    run(out, resume=True, workers=2)
    assert outcome(out) == outcome(whole)


def test_what_a_teacher_has_read_is_not_read_again(run: Run, tmp_path: Path) -> None:
    run.killed_at(tmp_path / "s", Labelled, 1)
    events = run.events(tmp_path / "s", resume=True)
    started = [(e.number, e.earlier) for e in events if isinstance(e, TeacherStarted)]
    assert started == [(1, 6), (2, 0)]
    assert sum(e.sentences for e in events if isinstance(e, Labelled)) == 14


def test_a_teacher_that_is_done_is_not_even_loaded(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.killed_at(tmp_path / "s", Voted, 0)
    monkeypatch.delattr(labelling.ModelLoader, "__call__")
    run(tmp_path / "s", resume=True)
    assert (tmp_path / "s" / "model.safetensors").exists()


def test_a_complete_run_has_nothing_left_to_do(run: Run, whole: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in (whole / "labels").rglob("*")}
    events = run.events(whole, resume=True, teachers=(), text=())
    assert not [event for event in events if isinstance(event, Labelled | Voted | EpochEnded)]
    assert {path: path.stat().st_mtime_ns for path in (whole / "labels").rglob("*")} == before


def test_unfinished_labels_are_not_gone_on_with_unasked(run: Run, tmp_path: Path) -> None:
    run.killed_at(tmp_path / "s", Labelled, 1)
    for options in ({}, {"labels": tmp_path / "s" / "labels"}):
        with pytest.raises(BiaffinityError, match=r"holds labels that are not finished \(add --resume"):
            run(tmp_path / "s", **options)


def test_unfinished_labels_of_other_teachers_text_or_vote_are_refused(
    run: Run, tmp_path: Path, second: Path, text: Path
) -> None:
    out = tmp_path / "s"
    run.killed_at(out, Labelled, 1)
    before = files(out / "labels")
    for options, what in (
        ({"teachers": second}, "holds other labels: by "),
        ({"text": text / "a.txt"}, "of a text with the digest"),
        ({"vote": 0.6}, "voted at 0.4, not at 0.6"),
    ):
        with pytest.raises(BiaffinityError, match=what):
            run(out, resume=True, **options)
    assert files(out / "labels") == before


def test_a_damaged_file_of_a_teacher_is_named(run: Run, tmp_path: Path) -> None:
    run.killed_at(tmp_path / "s", Mixed, 0)
    labels = tmp_path / "s" / "labels"
    record = labels / "labels.json"
    record.write_text(record.read_text().replace('"labelled"', '"as it was"'))
    first, second = sorted((labels / "teacher-2").iterdir())[:2]
    swapped = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(swapped)
    with pytest.raises(
        BiaffinityError, match=r"teacher-2: does not hold the sentence .* \(delete that folder"
    ):
        run(tmp_path / "s", resume=True)


@pytest.mark.parametrize("moment", ["part", "train"])
def test_a_process_that_the_system_kills_while_it_writes_leaves_nothing_half_done(
    moment: str, run: Run, whole: Path, tmp_path: Path
) -> None:
    out = tmp_path / "killed"
    usual = [*map(str, run.usual["teachers"]), str(run.usual["text"]), str(run.usual["train"])]
    done = subprocess.run(
        [sys.executable, "-m", "distillation.killed", moment, str(out), *usual],
        cwd=Path(__file__).parent.parent,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert list(out.rglob(".*.part"))  # what it was writing
    run(out, resume=True)
    assert outcome(out) == outcome(whole)
    assert not list(out.rglob(".*.part"))
