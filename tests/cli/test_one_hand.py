"""What all commands share: an option of one name means one thing and looks one way."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.models import ArgumentInfo, OptionInfo

import biaffinity
from biaffinity.cli.app import app
from biaffinity.errors import DataError

COMMANDS: dict[str, Callable[..., Any]] = {
    command.name or command.callback.__name__: command.callback
    for command in app.registered_commands
    if command.callback is not None
}


def options(name: str) -> dict[str, tuple[OptionInfo, type]]:
    """A command's options by their long names, each with the type of its value."""
    found = {}
    hints = typing.get_type_hints(COMMANDS[name], include_extras=True)
    for parameter in inspect.signature(COMMANDS[name]).parameters:
        kind, *more = typing.get_args(hints[parameter])
        for info in more:
            if isinstance(info, OptionInfo):
                names = [n for n in (info.default, *(info.param_decls or ())) if isinstance(n, str)]
                found[max(names or [f"--{parameter.replace('_', '-')}"], key=len)] = info, kind
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_quiet_or_verbose(name: str) -> None:
    assert {"--quiet", "--verbose"} <= options(name).keys()


@pytest.mark.parametrize("name", ["extract", "serve", "predict", "evaluate", "export", "push"])
def test_a_model_is_named_one_way(name: str) -> None:
    assert "--model" in options(name)
    hints = typing.get_type_hints(COMMANDS[name], include_extras=True)
    arguments = [i for hint in hints.values() for i in typing.get_args(hint) if isinstance(i, ArgumentInfo)]
    assert not [info for info in arguments if info.metavar == "MODEL"]


@pytest.mark.parametrize(
    ("option", "kind", "metavar"),
    [
        ("--json", bool, None),
        ("--force", bool, None),
        ("--resume", bool, None),
        ("--device", str, "DEVICE"),
        ("--workers", int, "N"),
        ("--model", None, "MODEL"),
    ],
)
def test_an_option_means_the_same_everywhere(option: str, kind: type | None, metavar: str | None) -> None:
    having = [options(name)[option] for name in COMMANDS if option in options(name)]
    assert having
    for info, own in having:
        assert kind is None or kind in (own, *typing.get_args(own))
        assert metavar is None or info.metavar == metavar


def test_processes_have_one_name() -> None:
    having = [name for name in COMMANDS if "--workers" in options(name)]
    assert having == ["distil", "extract", "reproduce", "serve"]
    assert not [name for name in COMMANDS if "--jobs" in options(name)]


@pytest.mark.parametrize("name", COMMANDS)
def test_an_output_has_a_short_name(name: str) -> None:
    if "--out" in options(name):
        info, _ = options(name)["--out"]
        assert "-o" in (info.default, *(info.param_decls or ()))


@pytest.mark.parametrize("name", COMMANDS)
def test_what_an_option_takes_is_shown_in_capitals_and_a_flag_takes_nothing(name: str, command) -> None:
    for option, (info, kind) in options(name).items():
        assert kind is bool or re.fullmatch(r"[A-Z][A-Z.=]*", info.metavar or ""), option
    code, shown, _ = command(name, "--help")
    assert code == 0
    assert "<bool>" not in shown


def test_quiet_leaves_the_answer_and_the_errors(extract) -> None:
    assert extract("Bo met Al.", "--out", "a.jsonl", "-q") == (0, "", "")
    Path("b.jsonl").write_text('{"text": "Bo."}\n{"text": 3}\n')
    code, out, err = extract("b.jsonl", "--quiet")
    assert (code, out.count("\n")) == (1, 1)
    assert "left out: b.jsonl:2" in err
    code, _, err = extract("none.txt", "-q")
    assert (code, err.startswith("error: none.txt")) == (1, True)
    assert extract("Bo met Al.", "--out", "c.jsonl")[2].startswith("1 document written to c.jsonl")


def test_verbose_tells_where_an_error_came_from(extract, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise DataError("is broken", where="m")

    monkeypatch.setattr(biaffinity, "load", fail, raising=False)
    assert "Traceback" not in extract("Bo.")[2]
    code, _, err = extract("Bo.", "-v")
    assert code == 1
    assert err.startswith("Traceback")
    assert err.endswith("error: m: is broken\n")


def test_force_writes_over_what_is_there(extract) -> None:
    Path("a.jsonl").write_text("old")
    Path("a.jsonl.part").write_text("older")
    code, _, err = extract("Bo met Al.", "--out", "a.jsonl", "--force")
    assert code == 0, err
    assert "Bo met Al." in Path("a.jsonl").read_text()
    assert sorted(path.name for path in Path().iterdir()) == ["a.jsonl", "a.jsonl.run.json"]
    assert extract("Bo.", "--out", "a.jsonl", "--force", "--resume")[0] == 2


def test_force_never_empties_a_folder(extract) -> None:
    Path("mine").mkdir()
    Path("mine/letter.txt").write_text("dear")
    code, _, err = extract("Bo met Al.", "--out", "mine/", "--force")
    assert (code, err) == (2, "error: mine: is there already (name another --out, or delete it)\n")
    assert Path("mine/letter.txt").read_text() == "dear"
