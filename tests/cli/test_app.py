from __future__ import annotations

import errno
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from biaffinity import __version__
from biaffinity.cli import app as cli_app
from biaffinity.cli import main
from biaffinity.cli.app import app
from biaffinity.errors import AnnotationError, DataError, UsageError


@pytest.fixture
def command() -> object:
    """Registers a function as the command ``try-me`` for one test."""
    before = list(app.registered_commands)

    def register(function: Callable[[], None]) -> None:
        app.command("try-me")(function)

    yield register
    app.registered_commands[:] = before


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    code = ended.value.code
    return code if isinstance(code, int) else 0


def fail_with(error: Exception) -> Callable[[], None]:
    def fail() -> None:
        """Fail."""
        raise error

    return fail


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr() == (f"biaffinity {__version__}\n", "")


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_lists_every_command(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(option) == 0
    shown = capsys.readouterr().out
    names = [c.name or c.callback.__name__ for c in app.registered_commands if c.callback]
    assert names
    for name in names:
        assert re.search(rf"\b{name}\b", shown)


def test_no_arguments_give_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 2
    captured = capsys.readouterr()
    assert "Usage" in captured.out + captured.err


def test_an_unknown_command_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("no-such-command") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "no-such-command" in captured.err


def test_an_unknown_option_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--no-such-option") == 2
    assert "no-such-option" in capsys.readouterr().err


@pytest.mark.parametrize("kind", [DataError, AnnotationError])
def test_a_users_error_is_one_line_and_one(
    kind: type[DataError], command: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    command(fail_with(kind("no such file", where="train.jsonl", remedy="check the path")))
    assert run("try-me") == 1
    assert capsys.readouterr() == ("", "error: train.jsonl: no such file (check the path)\n")


def test_wrong_use_is_one_line_and_two(
    command: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    command(fail_with(UsageError("unknown format 'x'")))
    assert run("try-me") == 2
    assert capsys.readouterr() == ("", "error: unknown format 'x'\n")


def test_a_long_error_stays_on_one_line(
    command: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    command(fail_with(DataError("a long story " * 50)))
    assert run("try-me") == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_the_words_of_an_error_are_printed_as_they_are(
    command: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    command(fail_with(DataError("not found: [bold]a[/bold] :cat: [0]")))
    run("try-me")
    assert capsys.readouterr().err == "error: not found: [bold]a[/bold] :cat: [0]\n"


def test_a_bug_is_not_hidden(command: Callable[..., None]) -> None:
    command(fail_with(ZeroDivisionError("a bug")))
    with pytest.raises(ZeroDivisionError):
        main(["try-me"])


def test_a_command_chooses_its_exit_code(command: Callable[..., None]) -> None:
    command(fail_with(typer.Exit(1)))
    assert run("try-me") == 1


WRITER = """
import sys
from biaffinity.cli import main
from biaffinity.cli.app import app

@app.command("try-me")
def write():
    for number in range(100_000):
        {line}

main(["try-me"])
"""


@pytest.mark.parametrize("line", ["print(number)", "sys.stdout.write('x' * 100)"])
def test_a_reader_that_leaves_is_not_complained_about(line: str) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", WRITER.format(line=line)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert program.stdout is not None
    assert program.stderr is not None
    program.stdout.read(1)
    program.stdout.close()
    complaints = program.stderr.read()
    program.stderr.close()
    program.wait()
    assert complaints == b""


def test_what_stdout_cannot_show_is_escaped() -> None:
    # Escaped in the script too: without a locale, Python 3.14 refuses other letters on its command line.
    script = WRITER.replace("range(100_000)", "range(1)").format(line=r"print('\u0141\xf3d\u017a')")
    done = subprocess.run(
        [sys.executable, "-X", "utf8=0", "-c", script],
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii"},
        check=False,
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, rb"\u0141\xf3d\u017a", b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a device that is always full")
@pytest.mark.parametrize("line", ["print(number)", "sys.stdout.write('x')", "sys.stdout.buffer.write(b'x')"])
@pytest.mark.parametrize("lines", [1, 100_000])
def test_a_full_disk_under_stdout_is_one_line_and_one(line: str, lines: int) -> None:
    script = WRITER.replace("100_000", str(lines)).format(line=line)
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", script], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (1, b"error: stdout: No space left on device\n")


def test_an_error_of_the_system_names_its_file(
    command: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    command(fail_with(OSError(errno.ENAMETOOLONG, "File name too long", "x" * 300)))
    assert run("try-me") == 1
    assert capsys.readouterr().err == f"error: {'x' * 300}: File name too long\n"


def test_a_stdout_that_is_closed_is_not_complained_about() -> None:
    script = "import sys; sys.stdout = None; from biaffinity.cli import main; main(['--version'])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "recipe.toml", "--train", "x", "--dev", "x", "--out", "model"],
        ["export", "--model", "m"],
    ],
)
def test_a_command_without_its_extra_says_how_to_get_it(arguments: list[str]) -> None:
    script = f"import sys; sys.modules['torch'] = None; from biaffinity.cli import main; main({arguments})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.endswith(b"-m pip install 'biaffinity[train]')\n")
    assert done.stderr.count(b"\n") == 1


def test_the_program_starts_without_what_only_some_commands_need() -> None:
    script = (
        "import sys\nfrom biaffinity.cli import app\napp.load_commands(*app.COMMANDS)\n"
        "print({'numpy', 'pydantic', 'scipy', 'torch'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout.strip() == b"set()"


def test_a_command_is_read_without_the_others() -> None:
    script = (
        "import sys\nfrom biaffinity.cli import app\ntry: app.main(['recipes'])\nexcept SystemExit: pass\n"
        "print([name for name in app.COMMANDS if f'biaffinity.cli.{name}' in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout.splitlines()[-1] == b"['recipes']"


def test_every_module_of_a_command_is_known() -> None:
    folder = Path(cli_app.__file__).parent
    registering = {
        path.stem if path.parent == folder else path.parent.name
        for path in folder.rglob("*.py")
        if re.search(r"^@app\.command|^app\.add_typer", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert sorted(registering) == list(cli_app.COMMANDS)
