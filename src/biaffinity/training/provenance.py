"""Where a number comes from: the command, the commit, the machine, the versions, the time."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy
import torch

from biaffinity.version import __version__


def provenance() -> dict[str, Any]:
    """Facts to keep beside any result."""
    return {
        "command": shlex.join([_program(), *sys.argv[1:]]),
        "commit": _commit(),
        "finished": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "machine": {
            "processor": _processor(),
            "cores": os.cpu_count(),
            "threads": torch.get_num_threads(),
            "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
            "system": platform.system(),
        },
        "versions": {
            "biaffinity": __version__,
            "python": platform.python_version(),
            "torch": torch.__version__,
            "numpy": numpy.__version__,
        },
    }


def _program() -> str:
    name = Path(sys.argv[0]).name
    return "biaffinity" if name == "__main__.py" else name


def _commit() -> str | None:
    """The commit of this source tree, with a plus sign if it has been changed; None outside git.

    A copy of the tree without its history can name it in the variable BIAFFINITY_COMMIT.
    """
    if named := os.environ.get("BIAFFINITY_COMMIT"):
        return named
    here = Path(__file__).parent.parent

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(here), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        changed = git("status", "--porcelain", ".")
        return git("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def _processor() -> str:
    """The processor's name, as the system knows it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
