"""What several commands' tests share."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import biaffinity
from biaffinity.cli.app import COMMANDS, load_commands, main
from bulk import capitals

Command = Callable[..., tuple[int, str, str]]
#: Tests look at them, and take away what they added.
load_commands(*COMMANDS)


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
def two_setups(made_once: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data and two models: ``one`` finds entities, ``two`` is given their boundaries."""
    from training import tiny

    def make(folder: Path) -> None:
        folder.mkdir()
        files = tiny.write_corpus(folder)
        for name, boundaries in (("one", "predicted"), ("two", "given")):
            config = tiny.config(model={"boundaries": boundaries}, training={"epochs": 12})
            biaffinity.train(config, **files, out=folder / name)

    # A copy, as tests write beside the models.
    return shutil.copytree(made_once("two-setups", make), tmp_path_factory.mktemp("trained") / "models")


@pytest.fixture
def beside_models(command: Command, two_setups: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run the program in the folder of `two_setups`."""
    monkeypatch.chdir(two_setups)
    return command


@pytest.fixture(scope="session")
def without_pytorch() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the program in a process that cannot import PyTorch, nor what only an export needs."""
    program = "import sys; sys.modules['torch'] = sys.modules['onnx'] = None\n"
    program += "from biaffinity.cli import main; main(sys.argv[1:])"

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True, check=False
        )

    return run
