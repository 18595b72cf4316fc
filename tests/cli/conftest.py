"""What several commands' tests share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import biaffinity
from biaffinity.cli import main
from extraction import capitals

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run the program: its exit code, what it wrote to stdout and to stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        return left.value.code or 0, *capsys.readouterr()

    return run


@pytest.fixture
def extract(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run ``extract`` in an empty folder; capitalised words are the names."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(biaffinity, "load", capitals.load, raising=False)
    return lambda *arguments: command("extract", *arguments)


@pytest.fixture(scope="session")
def two_setups(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data and the models ``one`` and ``two`` of the two setups."""
    from training import tiny

    folder = tmp_path_factory.mktemp("trained")
    files = tiny.write_corpus(folder)
    for name, setup in (("one", 1), ("two", 2)):
        config = tiny.config(model={"setup": setup}, training={"epochs": 12})
        biaffinity.train(config, **files, out=folder / name)
    return folder


@pytest.fixture
def beside_models(command: Command, two_setups: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run the program in the folder of `two_setups`."""
    monkeypatch.chdir(two_setups)
    return command
