"""The attacks that docs/security.md and docs/reliability.md speak of, against this program on this machine.

    python benchmarks/attack.py [--only service|runs|models|dense|mixed|...] [--scale 1.0] [--json OUT]

With --only the file OUT keeps its figures of the other attacks; a single attack on the service can be named,
and ten minutes of overload are: --only mixed --scale 5. Everything stays on this machine: loopback addresses,
files of a temporary folder. At scale 1 it takes some ten minutes on two cores that do nothing else. Each
attack on the service has a service of its own, and meanwhile a bystander at another address asks it short
questions: what it gets, and how soon, and the memory of the service are what counts. Attacks on runs and by
models, which are not about speed, are made side by side.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

from attack_models import attack_models
from attack_runs import attack_runs
from attack_service import NAMES, attack_service
from bars import Measured, show, write


def main() -> None:
    """Attack, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", choices=["service", "runs", "models", *NAMES])
    parser.add_argument("--scale", type=float, default=1.0, help="how long and how often")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    only, scale = arguments.only, arguments.scale
    measured: list[Measured] = []
    details: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        if only in (None, "service", *NAMES):
            found, details["service"] = attack_service(Path(name), scale, only if only in NAMES else None)
            show(found)
            measured += found
        for kind, (found, record) in _side_by_side(Path(name), scale, only).items():
            show(found)
            measured += found
            details[kind] = record
    if arguments.json and arguments.only and arguments.json.exists():
        _renew(arguments.json, measured, details)
    elif arguments.json:
        write(arguments.json, measured, details)
    if any(one.met is False for one in measured):
        raise SystemExit(1)


def _side_by_side(
    folder: Path, scale: float, only: str | None
) -> dict[str, tuple[list[Measured], dict[str, Any]]]:
    """What came of the attacks that need a core each, and no quiet."""
    attacks = {"runs": attack_runs, "models": attack_models}
    with ProcessPoolExecutor(len(attacks), multiprocessing.get_context("spawn")) as pool:
        begun = {}
        for kind, attack in attacks.items():
            if only in (None, kind):
                (folder / kind).mkdir()
                begun[kind] = pool.submit(attack, folder / kind, scale)
        return {kind: done.result() for kind, done in begun.items()}


def _renew(path: Path, measured: Sequence[Measured], details: dict[str, Any]) -> None:
    """Replace the figures of the attacks that were made, which say where they come from; leave the others."""
    from biaffinity.files import writing
    from biaffinity.training.provenance import provenance

    record = json.loads(path.read_text())
    names = {one.what for one in measured}
    record["bars"] = [bar for bar in record["bars"] if bar["what"] not in names]
    record["bars"] += [{**asdict(one), "met": one.met} for one in measured]
    for kind, found in details.items():
        record["details"][kind] = {**record["details"].get(kind, {}), **provenance(), **found}
    with writing(path) as file:
        file.write(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
