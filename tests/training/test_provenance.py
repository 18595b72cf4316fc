from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import datetime, timezone

import pytest

from biaffinity import __version__
from biaffinity.training import provenance as module
from biaffinity.training.provenance import provenance


def test_a_result_names_its_command_as_it_can_be_typed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/opt/bin/biaffinity", "train", "a recipe.toml"])
    assert provenance()["command"] == "biaffinity train 'a recipe.toml'"


def test_the_program_has_its_name_however_it_was_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/opt/lib/biaffinity/__main__.py", "train"])
    assert provenance()["command"] == "biaffinity train"


def test_machine_and_versions_are_told() -> None:
    facts = provenance()
    assert facts["machine"].keys() == {"processor", "cores", "threads", "gpu", "system"}
    assert facts["machine"]["processor"]
    assert facts["machine"]["threads"] == 1  # the fixture's
    assert facts["versions"]["biaffinity"] == __version__
    assert facts["versions"].keys() == {"biaffinity", "python", "torch", "numpy"}
    assert json.loads(json.dumps(facts)) == facts


def test_the_time_is_now_with_its_zone() -> None:
    finished = datetime.fromisoformat(provenance()["finished"])
    assert abs((datetime.now(timezone.utc) - finished).total_seconds()) < 60


def test_a_commit_can_be_named_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIAFFINITY_COMMIT", "abc123")
    assert provenance()["commit"] == "abc123"


def test_the_commit_is_git_s_with_a_plus_if_the_tree_was_changed(
    tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BIAFFINITY_COMMIT", raising=False)
    package = tmp_path / "src" / "package"
    package.mkdir(parents=True)
    (package / "code.py").write_text("x = 1\n")

    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=Ida Moor", "-c", "user.email=ida@example.org"]
        subprocess.run(["git", "-C", str(tmp_path), *identity, *arguments], check=True, capture_output=True)

    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "-m", "first")
    monkeypatch.setattr(module, "__file__", str(package / "training" / "provenance.py"))
    clean = provenance()["commit"]
    assert re.fullmatch("[0-9a-f]{12}", clean)
    (package / "code.py").write_text("x = 2\n")
    assert provenance()["commit"] == clean + "+"


def test_outside_git_there_is_no_commit(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BIAFFINITY_COMMIT", raising=False)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "package").mkdir()
    monkeypatch.setattr(module, "__file__", str(tmp_path / "package" / "training" / "provenance.py"))
    assert provenance()["commit"] is None


def test_without_git_there_is_no_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BIAFFINITY_COMMIT", raising=False)
    monkeypatch.setenv("PATH", "")
    assert provenance()["commit"] is None
