"""``biaffinity push`` as a user meets it; what the hub gets is tested in hub/test_hub.py."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from biaffinity.cli import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in an empty folder: its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        return int(left.value.code or 0), *capsys.readouterr()

    return command


def test_help_teaches_by_example(run: Run) -> None:
    code, out, _ = run("push", "--help")
    assert code == 0
    assert "biaffinity push mara/harbour --model model/" in out


def test_a_missing_folder_is_one_line(run: Run) -> None:
    code, out, err = run("push", "mara/harbour", "--model", "none")
    assert (code, out) == (1, "")
    assert err == "error: none: no such model folder (check the path)\n"


def test_a_name_that_is_none_is_wrong_use(run: Run) -> None:
    code, _, err = run("push", "harbour", "--model", "none")
    assert code == 2
    assert err == "error: 'harbour' is no name on the hub (such a name is owner/name)\n"
