"""How much disk the base install takes: a new environment, the base from this checkout, every file counted.

    python benchmarks/install.py [--python PYTHON] [--json OUT]

Needs nothing but Python and pip, and a package index that pip can reach. Three sizes are given. *Files* is
what the packages hold. *Used* adds the bytecode that Python writes when the extractor runs: this is what
``make demo`` leaves, and uv. *Compiled* adds the bytecode of every module, tests of numpy included, which
pip writes unless it is told ``--no-compile``. A megabyte is 1,000,000 bytes; pip and setuptools, which an
environment starts with, do not count.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from importlib.metadata import distributions
from pathlib import Path

import bars

ROOT = Path(__file__).parent.parent
SENTENCE = "David Foster is the AP's Northwest regional reporter, based in Seattle."
BAR = 165
STAGES = ("files", "used", "compiled")


def measure(python: str, folder: Path) -> dict[str, dict[str, float]]:
    """Megabytes of each package at each stage, in an environment that is made in ``folder``."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def run(*command: object) -> str:
        done = subprocess.run(
            [str(part) for part in command], env=environment, cwd=folder, capture_output=True, text=True
        )
        if done.returncode:
            sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stderr}")
        return done.stdout

    run(python, "-m", "venv", folder / "venv")
    binaries = folder / "venv" / "bin"
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    before = {path.name for path in site.iterdir()}
    pip = (binaries / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--no-compile", "-c", ROOT / "constraints.txt", ROOT)
    if (site / "torch").exists():
        sys.exit("failed: the base install brings torch")
    stages = {"files": sizes(site, before)}
    (record,) = run(binaries / "biaffinity", "extract", SENTENCE).splitlines()
    if not json.loads(record)["relations"]:
        sys.exit("failed: the extractor found no relation in the paper's sentence")
    stages["used"] = sizes(site, before)
    # Some packages ship templates that are no Python by themselves; pip passes over them too.
    subprocess.run([binaries / "python", "-m", "compileall", "-q", "-q", site], env=environment)
    stages["compiled"] = sizes(site, before)
    return stages


def sizes(site: Path, before: set[str]) -> dict[str, float]:
    """Megabytes of each package, largest first, without what was there ``before``."""
    owners = {
        file.parts[0]: f"{package.name} {package.version}"
        for package in distributions(path=[str(site)])
        for file in package.files or ()
        if file.parts[0] != "__pycache__"
    }
    total: Counter[str] = Counter()
    for path in site.rglob("*"):
        top = path.relative_to(site).parts[0]
        if path.is_file() and top not in before:
            total[owners.get(top, top)] += path.stat().st_size
    return {name: size / 1e6 for name, size in total.most_common()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="the Python of the environment")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stages = measure(arguments.python, Path(folder))
    print(f"{'MB of site-packages':32} {'files':>9} {'used':>9} {'compiled':>9}")
    for name in stages["compiled"]:
        row = [stages[stage].get(name, 0.0) for stage in STAGES]
        if row[-1] >= 0.5:
            print(f"{name:32} {row[0]:9.1f} {row[1]:9.1f} {row[2]:9.1f}")
    measured = [
        bars.Measured(f"base install without torch, {stage}", sum(stages[stage].values()), "MB", "under", BAR)
        for stage in STAGES
    ]
    bars.show(measured)
    if arguments.json:
        bars.write(arguments.json, measured, {"megabytes": stages})


if __name__ == "__main__":
    main()
