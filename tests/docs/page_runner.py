"""Runs the blocks of one page in a folder: shell commands one by one, Python in one process."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from docs.blocks import Block, missing

PYTHON_PAGE = Path(__file__).with_name("python_page.py")
HUNG = 600  # seconds that no command takes, however busy the machine is
PORT = "8000"  # the one that pages speak of; here a free one takes its place


class PageRunner:
    """What a page's blocks have started, in a folder and with an environment of their own."""

    def __init__(self, folder: Path, stack: ExitStack, **settings: str) -> None:
        self._folder = folder
        self._stack = stack
        self._port = _free_port()
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        quiet = {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1", "COLUMNS": "120", "NO_PROXY": "127.0.0.1"}
        self._environment = {**os.environ, "PATH": path, **quiet, **settings}
        self._python: subprocess.Popen[str] | None = None

    def run(self, block: Block) -> str:
        """Run a block and check what the page shows in it; all that it printed."""
        text = block.text.replace(f":{PORT}/", f":{self._port}/")
        if block.language == "python":
            return self._run_python(text, block)
        printed = []
        for command, shown in block.commands:
            assert not command.startswith(("pip ", "make ")), f"{block}: a test installs nothing"
            if command.startswith("biaffinity serve"):
                self._serve(f"{command} --port {self._port}")
                continue
            printed.append(self._run_command(command.replace(f":{PORT}/", f":{self._port}/"), block))
            line = missing(shown, printed[-1])
            assert line is None, f"{block}: {command} did not print {line!r} but\n{printed[-1]}"
        return "\n".join(printed)

    def _run_command(self, command: str, block: Block) -> str:
        ran = subprocess.run(
            ["bash", "-c", command],
            cwd=self._folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=HUNG,
        )
        assert ran.returncode == 0, f"{block}: {command} ended with {ran.returncode}:\n{ran.stdout}"
        return ran.stdout

    def _run_python(self, code: str, block: Block) -> str:
        if self._python is None:
            self._python = self._stack.enter_context(
                subprocess.Popen(
                    [sys.executable, str(PYTHON_PAGE)],
                    cwd=self._folder,
                    env=self._environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            self._stack.callback(self._python.kill)
        assert self._python.stdin
        assert self._python.stdout
        print(json.dumps(code), file=self._python.stdin, flush=True)
        answer = json.loads(self._python.stdout.readline())
        assert answer["failure"] is None, f"{block}:\n{answer['failure']}"
        return str(answer["printed"])

    def _serve(self, command: str) -> None:
        """Start the service and wait until it reads texts; it ends with the page."""
        service = self._stack.enter_context(
            subprocess.Popen(
                ["bash", "-c", f"exec {command}"],
                cwd=self._folder,
                env=self._environment,
                stderr=subprocess.DEVNULL,
            )
        )
        self._stack.callback(service.terminate)
        for _ in range(HUNG * 10):
            if self._is_ready():
                return
            assert service.poll() is None, f"{command} ended with {service.returncode}"
            time.sleep(0.1)
        raise AssertionError(f"{command} was not ready within {HUNG} seconds")

    def _is_ready(self) -> bool:
        try:
            with urlopen(f"http://127.0.0.1:{self._port}/health/ready"):
                return True
        except URLError:
            return False


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def needs(page: list[Block]) -> set[str]:
    """The programs that a page's commands start, other than our own."""
    commands = (command for block in page if block.language != "python" for command, _ in block.commands)
    return {match[0] for command in commands if (match := re.match(r"\w+", command))} - {"biaffinity"}
