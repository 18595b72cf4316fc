"""``biaffinity gather`` as a user meets it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")

from experiments import records


def test_runs_go_into_one_file_and_stay_where_they_are(
    tmp_path: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    out = tmp_path / "results" / "ours.jsonl"
    for seed in (1, 2):
        records.write_run(tmp_path / "runs" / f"setup1-seed{seed}", seed=seed)
    assert command("gather", str(tmp_path / "runs"), "--out", str(out)) == (0, "", f"2 runs are in {out}\n")
    assert len(out.read_text().splitlines()) == 2
    assert (tmp_path / "runs" / "setup1-seed1" / "run.json").exists()


def test_what_is_left_out_is_told(tmp_path: Path, command: Callable[..., tuple[int, str, str]]) -> None:
    records.write_run(tmp_path / "runs" / "one", seed=1)
    records.write_run(tmp_path / "runs" / "two", seed=2, interrupted=True)
    code, _, stderr = command("gather", str(tmp_path / "runs"), "--out", str(tmp_path / "a.jsonl"))
    assert code == 0
    assert stderr == f"not finished, left out: two\n1 run is in {tmp_path / 'a.jsonl'}\n"


def test_a_path_that_is_not_there_is_an_error(
    tmp_path: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    code, stdout, stderr = command("gather", str(tmp_path / "no"), "--out", str(tmp_path / "a.jsonl"))
    assert (code, stdout) == (1, "")
    assert stderr == f"error: {tmp_path / 'no'}: no such file or folder (check the path)\n"
