"""``biaffinity serve`` up to the point where it would listen."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from biaffinity.cli import main

pytest.importorskip("uvicorn", reason="needs the extra serve")


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["serve", *arguments])
    code = ended.value.code
    return code if isinstance(code, int) else 0


def test_options_become_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from biaffinity.serve import Settings

    asked = []
    monkeypatch.setattr("biaffinity.serve.run", asked.append)
    keys = tmp_path / "keys.txt"
    options = ["--model", "m", "--model", "n", "--port", "81", "--workers", "3", "--api-key-file", str(keys)]
    options += ["--max-chars", "5", "--max-requests", "6", "--timeout", "7", "--host", "::1"]
    assert run(*options) == 0
    assert asked == [
        Settings(
            models=("m", "n"),
            host="::1",
            port=81,
            workers=3,
            api_key_file=keys,
            max_chars=5,
            max_requests=6,
            timeout=7,
        )
    ]


def test_the_defaults_are_those_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    from biaffinity.serve import Settings

    asked = []
    monkeypatch.setattr("biaffinity.serve.run", asked.append)
    assert run() == 0
    assert asked == [Settings()]


@pytest.mark.parametrize(("host", "noted"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_a_service_open_to_others_without_a_key_is_noted(
    host: str, noted: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("biaffinity.serve.run", lambda settings: None)
    run("--host", host)
    assert ("--api-key-file" in capsys.readouterr().err) == noted


def test_a_model_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run("--model", str(tmp_path / "none")) == 1
    assert capsys.readouterr().err.startswith("error: ")


def test_a_model_of_version_1_is_one_line_that_tells_how_to_bring_it_up_to_date(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    head = {"format": "biaffinity-model", "version": 1, "word_size": 100, "config": {"model": {"setup": 1}}}
    (tmp_path / "config.json").write_text(json.dumps(head))
    assert run("--model", str(tmp_path)) == 1
    assert capsys.readouterr().err == (
        f"error: {tmp_path / 'config.json'}: is a model of version 1, this program reads version 2"
        f" (run: biaffinity export --model {tmp_path})\n"
    )


def test_without_the_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith("biaffinity.serve")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert run() == 1
    assert "biaffinity[serve]" in capsys.readouterr().err
