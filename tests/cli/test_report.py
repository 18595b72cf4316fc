"""``biaffinity report`` as a user meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("matplotlib", reason="needs the extra train")
pytest.importorskip("scipy", reason="needs the extra stats")

from biaffinity.cli import main
from experiments import records


def run(capsys: pytest.CaptureFixture[str], *command: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command."""
    with pytest.raises(SystemExit) as left:
        main(list(command))
    return left.value.code or 0, *capsys.readouterr()  # type: ignore[return-value]


def test_tables_are_printed_and_the_files_lie_beside_the_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = tmp_path / "ours"
    records.write_run(runs / "setup1-seed1")
    code, stdout, stderr = run(capsys, "report", str(runs))
    assert code == 0
    assert stdout == (runs / "report" / "tables.md").read_text()
    assert "| ours | 1 | 86.0 | 64.0 | – | – |" in stdout
    assert stderr == f"9 files are in {runs / 'report'}\n"
    assert {path.name for path in (runs / "report").iterdir()} >= {"tables.md", "tables.tex", "report.html"}


def test_several_folders_go_where_they_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [str(records.write_run(tmp_path / name / "setup1-seed1").parent) for name in ("one", "two")]
    code, stdout, _ = run(capsys, "report", *folders, "--out", str(tmp_path / "both"))
    assert code == 0
    assert "| one | 1 |" in stdout
    assert "| two | 1 |" in stdout
    assert (tmp_path / "both" / "report.html").exists()
    assert not (tmp_path / "one" / "report").exists()


def test_the_report_on_a_file_lies_beside_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records.write_run(tmp_path / "runs" / "setup1-seed1")
    run(capsys, "gather", str(tmp_path / "runs"), "--out", str(tmp_path / "ours.jsonl"))
    code, stdout, stderr = run(capsys, "report", str(tmp_path / "ours.jsonl"))
    assert code == 0
    assert "| ours | 1 | 86.0 | 64.0 | – | – |" in stdout
    assert stderr == f"9 files are in {tmp_path / 'report'}\n"


def test_a_folder_without_runs_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, stdout, stderr = run(capsys, "report", str(tmp_path))
    assert (code, stdout) == (1, "")
    assert stderr.startswith(f"error: {tmp_path}: holds no finished run")
    assert not list(tmp_path.iterdir())


def test_runs_of_unlike_recipes_are_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records.write_run(tmp_path / "one", seed=1)
    records.write_run(tmp_path / "two", seed=2, overrides=("model.dropout=0.5",))
    code, _, stderr = run(capsys, "report", str(tmp_path))
    assert code == 2
    assert "its model.dropout is 0.5" in stderr
