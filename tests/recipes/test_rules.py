"""The rules that make the embedded models: too long to be run here, they can be asked what they would do."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")

from typer.main import get_command

from biaffinity.cli import app as program

ROOT = Path(__file__).parents[2]
program.load_commands(*program.COMMANDS)
COMMANDS = get_command(program.app).commands


@pytest.fixture(scope="module", params=["model", "news-students", "general"])
def steps(request: pytest.FixtureRequest) -> list[list[str]]:
    """The commands that make would run, in words."""
    if shutil.which("make") is None:
        pytest.skip("needs make")
    places = ["READY=", "RUN=python", "BIAFFINITY=biaffinity", "MAKING=build/absent", "GENERAL=build/none"]
    asked = subprocess.run(
        ["make", "--dry-run", *places, request.param], cwd=ROOT, capture_output=True, text=True, check=True
    )
    lines = asked.stdout.replace("\\\n", " ").splitlines()
    return [shlex.split(part, comments=True) for line in lines for part in re.split(r"[|;]|&&", line)]


def test_every_program_is_there(steps: list[list[str]]) -> None:
    programs = {words[1] for words in steps if words and words[0] == "python"}
    assert len(programs) > 4
    assert [name for name in programs if not (ROOT / name).exists()] == []


def test_every_command_knows_its_options(steps: list[list[str]]) -> None:
    calls = [words[1:] for words in steps if words and words[0] == "biaffinity"]
    assert {name for name, *_ in calls} >= {"train", "distil"}
    for name, *words in calls:
        COMMANDS[name].make_context(name, words)
