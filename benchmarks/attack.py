"""The attacks that docs/security.md and docs/reliability.md speak of, against this program on this machine.

    python benchmarks/attack.py [--only service|runs|models] [--scale 1.0] [--json OUT]

Everything stays on this machine: loopback addresses, files of a temporary folder. At scale 1 it takes some
ten minutes. Each attack on the service has a service of its own, and meanwhile a bystander at another
address asks it short questions: what it gets, and how soon, and the memory of the service are what counts.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from attack_models import attack_models
from attack_runs import attack_runs
from attack_service import attack_service
from bars import show, write


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
    if arguments.json:
        write(arguments.json, measured, details)
    if any(one.met is False for one in measured):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
