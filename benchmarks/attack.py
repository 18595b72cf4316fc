"""The attacks that docs/security.md and docs/reliability.md speak of, against this program on this machine.

    python benchmarks/attack.py [--only service|runs|models] [--scale 1.0] [--json OUT]

With --only the file OUT keeps its figures of the other attacks. Everything stays on this machine: loopback
addresses, files of a temporary folder. At scale 1 it takes some twenty minutes. Each attack on the service
has a service of its own, and meanwhile a bystander at another address asks it short questions: what it gets,
and how soon, and the memory of the service are what counts.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

from attack_models import attack_models
from attack_runs import attack_runs
from attack_service import attack_service
from bars import Measured, show, write


def main() -> None:
    """Attack, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", choices=["service", "runs", "models"])
    parser.add_argument("--scale", type=float, default=1.0, help="how long and how often")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    measured, details = [], {}
    with tempfile.TemporaryDirectory() as name:
        for kind, attack in (("service", attack_service), ("runs", attack_runs), ("models", attack_models)):
            if arguments.only in (None, kind):
                found, details[kind] = attack(Path(name), arguments.scale)
                show(found)
                measured += found
    if arguments.json and arguments.only and arguments.json.exists():
        _renew(arguments.json, measured, details)
    elif arguments.json:
        write(arguments.json, measured, details)
    if any(one.met is False for one in measured):
        raise SystemExit(1)


def _renew(path: Path, measured: Sequence[Measured], details: dict[str, Any]) -> None:
    """Replace the figures of the attacks that were made, which say where they come from; leave the others."""
    from biaffinity.files import writing
    from biaffinity.training.provenance import provenance

    record = json.loads(path.read_text())
    names = {one.what for one in measured}
    record["bars"] = [bar for bar in record["bars"] if bar["what"] not in names]
    record["bars"] += [{**asdict(one), "met": one.met} for one in measured]
    record["details"] |= {kind: {**provenance(), **found} for kind, found in details.items()}
    with writing(path) as file:
        file.write(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
