"""The user's own list of names that mean the same.

A line for each entity, its names parted by ``=``; in front may stand the type it is for, and a colon. Empty
lines and lines that begin with ``#`` mean nothing::

    Org: Norvik Oil Company = Norvik = NOC
    Paul Okafor = P. J. Okafor
"""

from __future__ import annotations

import re
from pathlib import Path

from biaffinity.errors import DataError
from biaffinity.facts.links import link_aliases, regroup
from biaffinity.facts.names import normal_form
from biaffinity.facts.resolution.grouping import ALIAS
from biaffinity.files import read_lines
from biaffinity.store.database import Database

_TYPED = re.compile(r"([^\s:=]+):\s")


def read_aliases(path: Path) -> list[tuple[str, str, int]]:
    """Rows (normal form, type or nothing, number of the line) of a file."""
    rows = []
    for number, line in read_lines(path):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        typed = _TYPED.match(line.lstrip())
        names = (line.lstrip()[typed.end() :] if typed else line).split("=")
        normals = list(dict.fromkeys(filter(None, map(normal_form, names))))
        if len(names) < 2 or not all(name.strip() for name in names):
            raise DataError(
                "names of one entity are to stand here, parted by =",
                where=f"{path}:{number}",
                remedy="write it so: Org: Norvik Oil Company = Norvik = NOC",
            )
        rows += [(normal, typed[1] if typed else "", number) for normal in normals]
    return rows


def set_aliases(database: Database, rows: list[tuple[str, str, int]]) -> None:
    """Put a list in the place of the one before, and gather anew all whom either speaks of."""
    before = database.select("SELECT one, other FROM links WHERE rule = ?", [ALIAS])
    database.change("DELETE FROM links WHERE rule = ?", [ALIAS])
    database.change("DELETE FROM aliases")
    database.insert("aliases", ["normal", "type", "line"], rows)
    linked = link_aliases(database, {line for *_, line in rows})
    regroup(database, linked | {name for row in before for name in row})
