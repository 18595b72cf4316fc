"""Packages that hold models, downloaded by pip from wherever it is set up to; none is installed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def download(packages: Sequence[str], folder: Path) -> list[Path]:
    """Packages as they are published, in the order of their names."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
    subprocess.run([*command, *packages], check=True)
    return sorted(folder.glob("*.whl"))
