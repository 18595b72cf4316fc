"""What several commands' tests share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import biaffinity
from biaffinity.cli import main
from extraction import capitals


@pytest.fixture
def run_extract(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """Run ``extract`` in an empty folder: its exit code, what it wrote to stdout and to stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(biaffinity, "load", capitals.load, raising=False)

    def command(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["extract", *arguments])
        return left.value.code or 0, *capsys.readouterr()

    return command
